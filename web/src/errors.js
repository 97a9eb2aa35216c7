/** What is wrong with what a caller gave, in a sentence that says what to do. */
export class UnilidError extends Error {
  name = 'UnilidError';
}

/** A model file that is none, or is damaged. */
export class ModelFileError extends UnilidError {
  name = 'ModelFileError';
}

/** A code that stands for no language of the model. */
export class UnknownLanguageError extends UnilidError {
  name = 'UnknownLanguageError';
}
