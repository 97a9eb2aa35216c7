// Answers as the JavaScript package does: a line of JSON in, a line of JSON out.
//
// In: {"model": path, "questions": [[method, ...arguments], ...]}. Out: [{"answer": ...} or {"error": [name, message]},
// ...]; the first is about loading. The method "teach" goes on with a model that also knows a language, "back" with the
// one that was loaded; "write" saves to a path.

import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Model } from '../../web/unilid.js';

async function attempt(work) {
  try {
    return { answer: (await work()) ?? null };
  } catch (error) {
    return { error: [error.name, error.message] };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { model: path, questions } = JSON.parse(line);
  let loaded = null,
    model = null;
  const methods = {
    teach: (label, lines) => void (model = model.addLanguage(label, lines)),
    back: () => void (model = loaded),
    write: (target) => writeFileSync(target, model.save()),
    languages: () => model.languages,
  };
  const results = [await attempt(async () => void (model = loaded = await Model.load(path)))];
  for (const [method, ...values] of model ? questions : []) {
    results.push(await attempt(() => (methods[method] ?? model[method].bind(model))(...values)));
  }
  process.stdout.write(JSON.stringify(results) + '\n');
}
