/** The page: one engine, one address, four views. */

import { Address } from './address.js';
import { Catalogue } from './catalogue.js';
import { el, show } from './dom.js';
import { Engine } from './engine.js';
import { FileView } from './file-view.js';
import { LanguagesView } from './languages-view.js';
import { Loading } from './loading.js';
import { TeachView } from './teach-view.js';
import { TextView } from './text-view.js';

/**
 * What the parts of the page share.
 * @typedef {object} App
 * @property {Engine} engine
 * @property {Address} address
 * @property {Catalogue} catalogue
 * @property {string[]} taught
 * @property {string[]} guesses the languages that the last text spoke for, best first
 * @property {boolean} isReady
 * @property {Promise<void>} ready resolves when questions are answered and languages have names
 * @property {(sentence: string, seen?: boolean) => void} announce to those who listen; with `seen`, to all
 * @property {() => Promise<void>} refresh after the model changed
 */

const titles = {
  text: 'What language is this?',
  file: 'The languages of a file',
  teach: 'Teach it a language',
  languages: 'Languages',
};
const main = document.getElementById('main');
const status = el('div', { class: 'hidden-label', role: 'status' });
const toast = el('div', { class: 'toast', role: 'status', hidden: true });
document.body.append(status, toast);

/** @type {App} */
const app = {
  engine: new Engine(),
  address: new Address(),
  catalogue: new Catalogue([]),
  taught: [],
  guesses: [],
  isReady: false,
  ready: null,
  announce,
  refresh,
};
app.ready = app.engine.ready.then(learn).then(() => {
  app.isReady = true;
});
const views = {};
const makers = { text: TextView, file: FileView, teach: TeachView, languages: LanguagesView };

let speaking;
let fading;

/** Answers come with every letter: only the one that stays for a moment is spoken. */
function announce(sentence, seen = false) {
  if (seen) {
    toast.textContent = sentence;
    toast.hidden = false;
    clearTimeout(fading);
    fading = setTimeout(() => {
      toast.hidden = true;
    }, 5000);
    return;
  }
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    status.textContent = sentence;
  }, 700);
}

function render() {
  const { state } = app.address;
  views[state.view] ??= new makers[state.view](app);
  const view = views[state.view];
  if (main.firstElementChild !== view.element) {
    show(main, view.element);
    document.title = `${titles[state.view]} · unilid`;
  }
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('data-view') === state.view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  view.update(state);
}

async function learn() {
  const { languages, taught } = await app.engine.ask('languages');
  app.taught = taught;
  app.catalogue = new Catalogue(languages, new Set(taught));
}

async function refresh() {
  await learn();
  showTaught();
  render();
}

function showTaught() {
  const forget = async () => {
    await app.engine.ask('forget');
    app.announce('Forgotten: the page knows what it knew at first.', true);
    await refresh();
  };
  const names = app.taught.join(', ');
  show(
    document.getElementById('taught'),
    names &&
      el(
        'p',
        {},
        'This tab also knows ',
        el('bdi', {}, names),
        '. ',
        el('button', { type: 'button', class: 'quiet', on: { click: forget } }, 'Forget'),
      ),
  );
}

app.address.addEventListener('change', (event) => {
  const { before } = /** @type {CustomEvent} */ (event).detail;
  render();
  if (before.view !== app.address.state.view) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
});
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the fragment is the view's
  main.focus();
});

// A file may be dropped anywhere.
const drop = document.getElementById('drop');
const carriesFile = (event) => event.dataTransfer?.types.includes('Files');
addEventListener('dragover', (event) => {
  if (!carriesFile(event)) return;
  event.preventDefault();
  drop.hidden = false;
});
addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) drop.hidden = true;
});
addEventListener('drop', (event) => {
  drop.hidden = true;
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  event.preventDefault();
  app.address.set({ view: 'file' });
  views.file.open(file);
});

const loading = new Loading(app.engine);
document.getElementById('loading').append(loading.element);
render();
try {
  await app.ready;
  loading.done();
  render();
} catch (error) {
  loading.fail(error.message);
}
