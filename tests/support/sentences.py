"""Sentences written for this project: ten in each of 20 languages."""

SENTENCES = {
    "eng_Latn": """Good morning, how are you today?
Where is the railway station, please?
The children are playing in the garden behind the house.
I would like a cup of coffee and a glass of water.
She has been reading the same book for three weeks.
What time is it, and when does the next train leave?
We went to the market because we had no bread left.
He does not know which of the two roads is shorter.
The weather was cold, but nobody wanted to go home.
They thought that the old bridge would never be repaired.""",
    "deu_Latn": """Guten Morgen, wie geht es dir heute?
Wo ist bitte der Bahnhof?
Die Kinder spielen im Garten hinter dem Haus.
Ich möchte eine Tasse Kaffee und ein Glas Wasser.
Sie liest seit drei Wochen dasselbe Buch.
Wie spät ist es, und wann fährt der nächste Zug?
Wir gingen zum Markt, weil wir kein Brot mehr hatten.
Er weiß nicht, welche der beiden Straßen kürzer ist.
Das Wetter war kalt, aber niemand wollte nach Hause gehen.
Sie dachten, dass die alte Brücke nie repariert würde.""",
    "fra_Latn": """Bonjour, comment allez-vous aujourd'hui ?
Où est la gare, s'il vous plaît ?
Les enfants jouent dans le jardin derrière la maison.
Je voudrais une tasse de café et un verre d'eau.
Elle lit le même livre depuis trois semaines.
Quelle heure est-il, et quand part le prochain train ?
Nous sommes allés au marché parce que nous n'avions plus de pain.
Il ne sait pas laquelle des deux routes est la plus courte.
Il faisait froid, mais personne ne voulait rentrer.
Ils pensaient que le vieux pont ne serait jamais réparé.""",
    "spa_Latn": """Buenos días, ¿cómo está usted hoy?
¿Dónde está la estación de tren, por favor?
Los niños juegan en el jardín detrás de la casa.
Quisiera una taza de café y un vaso de agua.
Ella lleva tres semanas leyendo el mismo libro.
¿Qué hora es y cuándo sale el próximo tren?
Fuimos al mercado porque no nos quedaba pan.
Él no sabe cuál de los dos caminos es más corto.
Hacía frío, pero nadie quería volver a casa.
Pensaban que el viejo puente nunca sería reparado.""",
    "ita_Latn": """Buongiorno, come sta oggi?
Dov'è la stazione, per favore?
I bambini giocano nel giardino dietro la casa.
Vorrei una tazza di caffè e un bicchiere d'acqua.
Lei legge lo stesso libro da tre settimane.
Che ore sono, e quando parte il prossimo treno?
Siamo andati al mercato perché non avevamo più pane.
Non sa quale delle due strade sia più corta.
Faceva freddo, ma nessuno voleva tornare a casa.
Pensavano che il vecchio ponte non sarebbe mai stato riparato.""",
    "por_Latn": """Bom dia, como está hoje?
Onde fica a estação de comboios, por favor?
As crianças brincam no jardim atrás da casa.
Queria uma chávena de café e um copo de água.
Ela lê o mesmo livro há três semanas.
Que horas são, e quando parte o próximo comboio?
Fomos ao mercado porque já não tínhamos pão.
Ele não sabe qual das duas estradas é mais curta.
Estava frio, mas ninguém queria voltar para casa.
Eles pensavam que a ponte velha nunca seria reparada.""",
    "nld_Latn": """Goedemorgen, hoe gaat het vandaag met je?
Waar is het station, alstublieft?
De kinderen spelen in de tuin achter het huis.
Ik wil graag een kopje koffie en een glas water.
Zij leest al drie weken hetzelfde boek.
Hoe laat is het, en wanneer vertrekt de volgende trein?
We gingen naar de markt omdat we geen brood meer hadden.
Hij weet niet welke van de twee wegen korter is.
Het was koud, maar niemand wilde naar huis gaan.
Ze dachten dat de oude brug nooit gerepareerd zou worden.""",
    "swe_Latn": """God morgon, hur mår du i dag?
Var ligger järnvägsstationen, tack?
Barnen leker i trädgården bakom huset.
Jag skulle vilja ha en kopp kaffe och ett glas vatten.
Hon har läst samma bok i tre veckor.
Vad är klockan, och när går nästa tåg?
Vi gick till torget eftersom vi inte hade något bröd kvar.
Han vet inte vilken av de två vägarna som är kortare.
Vädret var kallt, men ingen ville gå hem.
De trodde att den gamla bron aldrig skulle bli lagad.""",
    "pol_Latn": """Dzień dobry, jak się dzisiaj masz?
Gdzie jest dworzec kolejowy, proszę?
Dzieci bawią się w ogrodzie za domem.
Chciałbym filiżankę kawy i szklankę wody.
Ona czyta tę samą książkę od trzech tygodni.
Która jest godzina i kiedy odjeżdża następny pociąg?
Poszliśmy na targ, ponieważ nie mieliśmy już chleba.
On nie wie, która z dwóch dróg jest krótsza.
Pogoda była zimna, ale nikt nie chciał iść do domu.
Myśleli, że stary most nigdy nie zostanie naprawiony.""",
    "ces_Latn": """Dobré ráno, jak se dnes máte?
Kde je prosím nádraží?
Děti si hrají na zahradě za domem.
Chtěl bych šálek kávy a sklenici vody.
Čte stejnou knihu už tři týdny.
Kolik je hodin a kdy jede další vlak?
Šli jsme na trh, protože jsme už neměli chleba.
Neví, která z těch dvou cest je kratší.
Počasí bylo chladné, ale nikdo nechtěl jít domů.
Mysleli si, že starý most nebude nikdy opraven.""",
    "fin_Latn": """Hyvää huomenta, mitä sinulle kuuluu tänään?
Missä rautatieasema on?
Lapset leikkivät puutarhassa talon takana.
Haluaisin kupin kahvia ja lasin vettä.
Hän on lukenut samaa kirjaa kolme viikkoa.
Paljonko kello on ja milloin seuraava juna lähtee?
Menimme torille, koska meillä ei ollut enää leipää.
Hän ei tiedä, kumpi teistä on lyhyempi.
Sää oli kylmä, mutta kukaan ei halunnut mennä kotiin.
He luulivat, ettei vanhaa siltaa koskaan korjattaisi.""",
    "tur_Latn": """Günaydın, bugün nasılsınız?
Tren istasyonu nerede, lütfen?
Çocuklar evin arkasındaki bahçede oynuyor.
Bir fincan kahve ve bir bardak su istiyorum.
Üç haftadır aynı kitabı okuyor.
Saat kaç ve bir sonraki tren ne zaman kalkıyor?
Ekmeğimiz kalmadığı için pazara gittik.
İki yoldan hangisinin daha kısa olduğunu bilmiyor.
Hava soğuktu ama kimse eve gitmek istemedi.
Eski köprünün hiç onarılmayacağını düşünüyorlardı.""",
    "rus_Cyrl": """Доброе утро, как у вас дела сегодня?
Где находится вокзал, скажите, пожалуйста?
Дети играют в саду за домом.
Я хотел бы чашку кофе и стакан воды.
Она читает одну и ту же книгу уже три недели.
Который час, и когда отправляется следующий поезд?
Мы пошли на рынок, потому что у нас не осталось хлеба.
Он не знает, какая из двух дорог короче.
Погода была холодная, но никто не хотел идти домой.
Они думали, что старый мост никогда не починят.""",
    "ukr_Cyrl": """Доброго ранку, як у вас справи сьогодні?
Де знаходиться вокзал, будь ласка?
Діти граються в саду за будинком.
Я хотів би чашку кави і склянку води.
Вона читає ту саму книжку вже три тижні.
Котра година, і коли вирушає наступний потяг?
Ми пішли на ринок, тому що в нас не залишилося хліба.
Він не знає, яка з двох доріг коротша.
Погода була холодна, але ніхто не хотів іти додому.
Вони думали, що старий міст ніколи не полагодять.""",
    "ell_Grek": """Καλημέρα, πώς είστε σήμερα;
Πού είναι ο σταθμός, παρακαλώ;
Τα παιδιά παίζουν στον κήπο πίσω από το σπίτι.
Θα ήθελα ένα φλιτζάνι καφέ και ένα ποτήρι νερό.
Διαβάζει το ίδιο βιβλίο εδώ και τρεις εβδομάδες.
Τι ώρα είναι και πότε φεύγει το επόμενο τρένο;
Πήγαμε στην αγορά γιατί δεν είχαμε άλλο ψωμί.
Δεν ξέρει ποιος από τους δύο δρόμους είναι πιο σύντομος.
Ο καιρός ήταν κρύος, αλλά κανείς δεν ήθελε να πάει σπίτι.
Νόμιζαν ότι η παλιά γέφυρα δεν θα επισκευαζόταν ποτέ.""",
    "arb_Arab": """صباح الخير، كيف حالك اليوم؟
أين محطة القطار من فضلك؟
يلعب الأطفال في الحديقة خلف البيت.
أريد فنجانا من القهوة وكأسا من الماء.
إنها تقرأ الكتاب نفسه منذ ثلاثة أسابيع.
كم الساعة ومتى يغادر القطار القادم؟
ذهبنا إلى السوق لأنه لم يبق لدينا خبز.
لا يعرف أي الطريقين أقصر.
كان الجو باردا لكن لم يرد أحد أن يعود إلى البيت.
ظنوا أن الجسر القديم لن يصلح أبدا.""",
    "hin_Deva": """सुप्रभात, आज आप कैसे हैं?
रेलवे स्टेशन कहाँ है, कृपया बताइए?
बच्चे घर के पीछे बगीचे में खेल रहे हैं।
मुझे एक कप कॉफ़ी और एक गिलास पानी चाहिए।
वह तीन हफ़्ते से वही किताब पढ़ रही है।
कितने बजे हैं, और अगली रेलगाड़ी कब जाती है?
हम बाज़ार गए क्योंकि हमारे पास रोटी नहीं बची थी।
उसे नहीं पता कि दोनों में से कौन सी सड़क छोटी है।
मौसम ठंडा था, लेकिन कोई घर नहीं जाना चाहता था।
उन्होंने सोचा कि पुराना पुल कभी ठीक नहीं होगा।""",
    "cmn_Hans": """早上好，你今天怎么样？
请问火车站在哪里？
孩子们在房子后面的花园里玩。
我想要一杯咖啡和一杯水。
她三个星期以来一直在读同一本书。
现在几点了，下一班火车什么时候开？
我们去了市场，因为家里没有面包了。
他不知道这两条路哪一条更短。
天气很冷，但是没有人想回家。
他们以为那座旧桥永远不会修好。""",
    "jpn_Jpan": """おはようございます、今日はお元気ですか。
すみません、駅はどこですか。
子供たちは家の裏の庭で遊んでいます。
コーヒーを一杯と水を一杯ください。
彼女は三週間ずっと同じ本を読んでいます。
今何時ですか、次の電車はいつ出ますか。
パンがなくなったので、市場へ行きました。
彼は二つの道のどちらが短いか知りません。
寒かったけれど、誰も家に帰りたくありませんでした。
古い橋は決して直らないと彼らは思っていました。""",
    "kor_Hang": """안녕하세요, 오늘은 어떻게 지내세요?
실례지만 기차역이 어디에 있습니까?
아이들이 집 뒤 정원에서 놀고 있습니다.
커피 한 잔과 물 한 잔 주세요.
그녀는 삼 주 동안 같은 책을 읽고 있습니다.
지금 몇 시이고 다음 기차는 언제 떠납니까?
빵이 남아 있지 않아서 우리는 시장에 갔습니다.
그는 두 길 중에서 어느 것이 더 짧은지 모릅니다.
날씨가 추웠지만 아무도 집에 가고 싶어 하지 않았습니다.
그들은 오래된 다리가 결코 수리되지 않을 것이라고 생각했습니다.""",
}
