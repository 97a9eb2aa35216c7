// Answers questions about texts as the JavaScript package does: JSON in, JSON out.
//
// Input: {"model": path, "questions": [[method, ...arguments], ...]}. Output: [{"answer": ...} or {"error": [name,
// message]}, ...]. The method "teach" replaces the model by one that also knows a language; "save" writes it to a path.

import { readFileSync, writeFileSync } from 'node:fs';
import { Model } from '../../web/unilid.js';

const { model: path, questions } = JSON.parse(readFileSync(0, 'utf8'));
const results = [];
let model = null;

function answer(method, values) {
  if (method === 'teach') return void (model = model.addLanguage(...values));
  if (method === 'save') return void writeFileSync(values[0], model.save());
  if (method === 'languages') return model.languages;
  return model[method](...values);
}

try {
  model = await Model.load(path);
} catch (error) {
  results.push({ error: [error.name, error.message] });
}
for (const [method, ...values] of model ? questions : []) {
  try {
    results.push({ answer: answer(method, values) });
  } catch (error) {
    results.push({ error: [error.name, error.message] });
  }
}
process.stdout.write(JSON.stringify(results));
