// Asks the JavaScript package questions and measures how long it takes; the same in Node and in a browser.

/** @param {typeof import('../../web/unilid.js').Model} Model @param source the model file @param job texts of each kind */
export async function measure(Model, source, job) {
  const seconds = {},
    answers = {};
  const timed = async (name, work) => {
    const start = performance.now();
    const result = await work();
    seconds[name] = (performance.now() - start) / 1000;
    return result;
  };
  const model = await timed('load', async () => {
    const loaded = await Model.load(source);
    loaded.identify(job.lines[0]); // tables are built when they are first needed
    return loaded;
  });
  answers.identify = await timed('identify', () => model.identify(job.lines));
  await timed('again', () => model.identify(job.lines));
  answers.documents = await timed('documents', () => model.identify(job.documents));
  answers.spans = await timed('spans', () => job.mixed.map((text) => model.spans(text)));
  answers.explain = await timed('explain', () => job.explained.map((text) => model.explain(text)));
  const taught = await timed('teach', () => model.addLanguage(job.label, job.lesson));
  answers.taught = taught.identify(job.lines.slice(0, 1000));
  return { seconds, answers };
}
