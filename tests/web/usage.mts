// What a program in TypeScript may write, and what it may not: checked by the compiler, not run.

import { type Explanation, type Language, Model, type Prediction, type Span, UnilidError } from '../../web/unilid.js';

const model: Model = await Model.load(new Uint8Array(), new URL('unilid.wasm', 'http://localhost/'));
const best: Prediction = model.identify('Tag', { languages: ['de', 'nl'], prior: { de: 0.5 }, abstain: 0.01 });
const ranked: Prediction[] = model.identify('Tag', { k: 3, budget: null });
const many: Prediction[] = model.identify(['Tag', null], { calibrated: 'auto' });
const lists: Prediction[][] = model.identify(new Set(['Tag']), { k: 2 });
const spans: Span[] = model.spans('Tag', { switch: 3, most: 2 });
const why: Explanation = model.explain('Tag', { language: 'de', instead: 'nl' });
const about: Language = model.about(best.guess ?? best.label);
const taught: Model = model.addLanguage('new', ['eins', 'zwei']);
const bytes: Uint8Array = taught.save();
const shares: number[] = about.confusedWith.map(({ share }) => share);
const scores: (number | null)[] = why.words.map((word) => word.language_score.unigram);
const error: Error = new UnilidError('a sentence');

// @ts-expect-error A text is no number.
model.identify(5);
// @ts-expect-error There is no such option.
model.identify('Tag', { language: 'de' });
// @ts-expect-error One text has one answer, unless k is given.
const wrong: Prediction[] = model.identify('Tag');
// @ts-expect-error Models are loaded.
new Model();

export { bytes, error, lists, many, ranked, scores, shares, spans, wrong };
