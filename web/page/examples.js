/** Texts to begin with. Each shows something else that the page can do. */

/** @type {{title: string, text: string}[]} */
export const EXAMPLES = [
  { title: 'A question', text: 'Wo ist der nächste Bahnhof, und wann fährt der letzte Zug nach Hause?' },
  { title: 'Two in one', text: 'Er sagte: “That is none of your business.” Dann ging er nach Hause und schwieg.' },
  { title: 'Close relatives', text: 'Hva er klokka nå, min venn? Jeg har ikke sett deg på lenge.' },
  { title: 'From right to left', text: 'صباح الخير يا أصدقائي، كيف حالكم اليوم؟' },
  { title: 'Another script', text: 'आज मौसम बहुत अच्छा है, चलो नदी के किनारे टहलने चलते हैं।' },
  { title: 'A small language', text: "Bore da, sut mae pawb heddiw? Mae'n braf eich gweld chi eto." },
  {
    title: 'Three voices',
    text: 'Buenos días a todos. Je suis très content de vous voir. Shall we begin with the first question?',
  },
  { title: 'No language', text: '+49 30 901820, https://example.org/a?b=c' },
];
