/** Names the language of texts, in a page or in Node. Answers are those of the Python package, to the bit. */

/** How a text is answered; each has a default. */
export interface Options {
  /** Only these compete: labels, or codes that stand for some (`"de"`, `"zh-Hant"`, `"zh-*"`). */
  languages?: Iterable<string> | null;
  /**
   * How frequent languages are beforehand: as fitted for the model (the default), all alike (`null`, too), as in the
   * training text, or by label or code; languages that are not named share what is left of 1.
   */
  prior?: 'model' | 'uniform' | 'training' | Record<string, number> | Map<string, number> | null;
  /** Whether narrow wins of over-predicted languages are re-ranked; `"auto"`, the default: where the model can. */
  calibrated?: boolean | 'auto';
  /**
   * Whether a text may be answered `zxx`, where it is no language, and `und`, where the model cannot tell. A number is
   * the share of ordinary text that may be answered `und`; true, the default, means 0.002.
   */
  abstain?: boolean | number;
  /** Bytes of a long text that are read at most, if the first ones leave doubt (65,536); null: all. */
  budget?: number | null;
}

/** A language and how well it explains the text. */
export interface Prediction {
  /** A label of the model; `zxx` where the text is no language; `und` where the model does not know. */
  label: string;
  /** How likely the answer is right; of `und`, what the guess would have had. */
  probability: number;
  /** Log-probability of the text, or of what was read of it, under the language, in nats, before any prior. */
  score: number;
  /** Why there is no language. */
  reason: string | null;
  /** Of `und`, the language that would have been named. */
  guess: string | null;
}

export interface SpanOptions {
  /** The penalty in nats for switching to another language in a short text (12). */
  switch?: number;
  /** The fewest letters of a span (1). */
  least?: number;
  /** The most languages of the text; null: as many as there are. */
  most?: number | null;
  languages?: Options['languages'];
  prior?: Options['prior'];
}

/** A stretch of a text in one language: `text.slice(span.start, span.end)`. */
export interface Span {
  label: string;
  start: number;
  end: number;
  /** How likely the language is, of this stretch alone. */
  probability: number;
  /** Characters of its words. */
  letters: number;
}

export interface ExplainOptions extends Options {
  /** The language to explain, a label or a code; by default the answer. */
  language?: string | null;
  /** The one to compare it with; by default the best of the others. */
  instead?: string | null;
}

/** What a word says of one language; all scores are log-probabilities in nats. */
export interface WordScore {
  /** They add up to `unigram`. */
  tokens: { token: string; score: number; unseen: boolean }[];
  /** They add up to `context`; the last one, which is empty, is the end of the word. */
  characters: { character: string; score: number }[];
  unigram: number | null;
  context: number | null;
  /** What the language gains because it uses the whole word often. */
  lexicon: number | null;
  weighted: number;
  /** What is added to the score of the text if the word counts. */
  score: number;
  bounded: boolean;
  foreign: boolean;
}

export interface WordReason {
  text: string;
  start: number;
  end: number;
  /** As the word models read it. */
  read: string;
  kind: 'letters' | 'digits' | 'signs';
  noise: string | null;
  counts: boolean;
  cut: boolean;
  lone: boolean;
  /** The language that explains it best, of all. */
  best: string;
  language_score: WordScore;
  instead_score: WordScore;
  /** Nats by which the word speaks for the language; 0 where it does not count. */
  difference: number;
}

/** Why a text is in one language rather than in another: what Python's `Explanation.record()` has. */
export interface Explanation {
  text: string;
  answer: Prediction;
  /** null where a text has no words of a language, and none was asked for. */
  language: string | null;
  instead: string | null;
  score: number;
  instead_score: number;
  prior: number;
  handicap: number;
  /** The sum over the words, the prior and the handicap: exact. */
  difference: number;
  unigram_weight: number;
  bound: number | null;
  words: WordReason[];
  /** What would have been said without each of the things that were in force. */
  without: { name: string; answer: Prediction; changed: boolean }[];
}

/** What is known of a label. */
export interface Language {
  label: string;
  /** ISO 639-3, where known. */
  code: string;
  /** In English; the label itself where unknown. */
  name: string;
  autonym: string | null;
  /** ISO 15924. */
  script: string | null;
  scriptName: string | null;
  macrolanguage: string | null;
  macrolanguageName: string | null;
  /** Training lines. */
  lines: number;
  /** On held-out text, where the model says. */
  f1: number | null;
  /** Where the training text comes from, where the model says. */
  sources: string[];
  /** What its lines are taken for, most frequent first. */
  confusedWith: { label: string; share: number }[];
}

/** What is wrong with what a caller gave. */
export class UnilidError extends Error {}
/** A model file that is none, or is damaged. */
export class ModelFileError extends UnilidError {}
/** A code that stands for no language of the model. */
export class UnknownLanguageError extends UnilidError {}

/** Names the language of texts. Immutable: what changes a model returns a new one. */
export class Model {
  private constructor();
  /** Loads a model file, and the kernel, `unilid.wasm`, which lies beside this module if nothing else is said. */
  static load(
    model: ArrayBuffer | ArrayBufferView | Response | string | URL,
    wasm?: ArrayBuffer | ArrayBufferView | Response | string | URL | WebAssembly.Module,
  ): Promise<Model>;
  /** The labels, in the order of the rows. */
  readonly languages: readonly string[];
  /** Names the language of one text, or of each of many; with `k`, the k best of each, best first. */
  identify(text: string | null, options?: Options & { k?: null }): Prediction;
  identify(text: string | null, options: Options & { k: number }): Prediction[];
  identify(texts: Iterable<string | null>, options?: Options & { k?: null }): Prediction[];
  identify(texts: Iterable<string | null>, options: Options & { k: number }): Prediction[][];
  /** The languages of a mixed text: which stretch is in which, without gaps. Offsets count units of UTF-16. */
  spans(text: string, options?: SpanOptions): Span[];
  /** Why a text is in one language rather than in another, word by word. Offsets count units of UTF-16. */
  explain(text: string | null, options?: ExplainOptions): Explanation;
  /** The labels that a code stands for: ISO 639 of any part, BCP 47 tags, macrolanguages. */
  matching(code: string): string[];
  /** What is known of a label of the model. */
  about(label: string): Language;
  /** A model that also knows a new language, learned from a few lines. This one is untouched. */
  addLanguage(label: string, lines: Iterable<string>): Model;
  /** The bytes of a .unilid file, which Python loads; the same that Python would write. */
  save(): Uint8Array;
  /** Gives back the memory at once; it is given back, too, when nobody refers to the model any more. */
  free(): void;
}
