/** Teaching: a name and some lines, and at once what that changes. */

import { download, el, field, isolated, newId, show } from './dom.js';
import { latest } from './engine.js';
import { EXAMPLES } from './examples.js';
import { count, counted, percentage } from './numbers.js';

/** What one visitor can teach at a time: a few seconds of work, and a model that is hardly larger. */
const MOST_LINES = 2000;
const MOST_CHARACTERS = 200_000;
const LONGEST_LABEL = 40;
/** Lines of a lesson that are shown with their answers. */
const SHOWN = 12;

const SAMPLE = {
  label: 'ell_Latn',
  lines: [
    'Kalimera, ti kaneis simera?',
    'Pou einai o stathmos tou trenou?',
    'Tha ithela enan kafe kai ligo nero, parakalo.',
    'Den xero ti na po, alla efcharisto poli.',
    'Avrio tha pame sti thalassa me ta paidia.',
    'Poso kanei afto to vivlio?',
    'I mitera mou menei stin Athina edo kai deka chronia.',
    'Ti ora fevgei to teleftaio leoforeio?',
    'Signomi, den katalavaino kala ellinika.',
    'To fagito itan poli nostimo, kali orexi se olous!',
  ],
  trial: 'Kalinichta, ta leme avrio to proi.',
};

export class TeachView {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this._app = app;
    const [nameId, linesId, hintId] = ['name', 'lines', 'hint'].map(newId);
    this._name = /** @type {HTMLInputElement} */ (
      el('input', {
        id: nameId,
        type: 'text',
        autocomplete: 'off',
        autocapitalize: 'off',
        spellcheck: 'false',
        maxlength: LONGEST_LABEL,
        placeholder: 'ell_Latn, or any name',
        'aria-describedby': hintId,
      })
    );
    this._lines = /** @type {HTMLTextAreaElement} */ (
      el('textarea', {
        id: linesId,
        dir: 'auto',
        rows: 9,
        spellcheck: 'false',
        placeholder: 'One sentence a line. Ten are a beginning, a hundred are good.',
        on: { input: () => this._count() },
      })
    );
    this._counted = el('span', { class: 'note' });
    this._submit = /** @type {HTMLButtonElement} */ (el('button', { type: 'submit', class: 'primary' }, 'Teach it'));
    this._problem = el('div', { role: 'alert' });
    this._result = el('section', { 'aria-label': 'What changed', class: 'lesson' });
    const sample = () => {
      this._name.value = SAMPLE.label;
      this._lines.value = SAMPLE.lines.join('\n');
      this._count();
    };
    this.element = el(
      'div',
      { class: 'teach-view' },
      el('h1', {}, 'Teach it a language'),
      el(
        'p',
        { class: 'lead' },
        'A dialect, a code among friends, a language that it lacks: name it, paste some lines, and see what changes. Only this tab learns it, and forgets it when you close it; the model can be saved.',
      ),
      el(
        'form',
        {
          novalidate: true,
          on: {
            submit: (event) => {
              event.preventDefault();
              this._teach();
            },
          },
        },
        field(
          'Name',
          this._name,
          el(
            'p',
            { class: 'note', id: hintId },
            'A label without spaces. If it is a code of ISO 639-3 and one of a script, such as ell_Latn, everybody will know what it means.',
          ),
        ),
        field('Lines', this._lines),
        el(
          'div',
          { class: 'tools' },
          this._submit,
          el('button', { type: 'button', class: 'quiet', on: { click: sample } }, 'Try it with Greek in Latin letters'),
          this._counted,
        ),
        this._problem,
      ),
      this._result,
    );
  }

  update() {
    if (!this._app.taught.length) show(this._result);
  }

  _given() {
    return this._lines.value
      .split(/\r?\n/u)
      .map((line) => line.trim())
      .filter(Boolean);
  }

  _count() {
    this._counted.textContent = this._lines.value ? counted(this._given().length, 'line') : '';
  }

  /** @returns {string | null} what is wrong, in a sentence */
  _objection(label, lines) {
    if (!label) return 'Give the language a name.';
    if (/\s/u.test(label)) return `A name has no spaces: write ${label.replace(/\s+/gu, '_')}.`;
    if (this._app.catalogue.has(label))
      return `The model knows ${label} already; choose another name, or forget what you taught.`;
    if (!lines.length) return 'Paste at least one line.';
    if (lines.length > MOST_LINES)
      return `These are ${counted(lines.length, 'line')}; this page learns from up to ${count(MOST_LINES)}. For more there is the command: unilid add.`;
    if (this._lines.value.length > MOST_CHARACTERS)
      return `These are ${counted(this._lines.value.length, 'character')}; this page learns from up to ${count(MOST_CHARACTERS)}.`;
    return null;
  }

  async _teach() {
    const [label, lines] = [this._name.value.trim(), this._given()];
    show(this._problem);
    if (!this._app.isReady) {
      show(this._problem, el('p', {}, 'The model is still loading; the lesson begins as soon as it is here.'));
      try {
        await this._app.ready;
      } catch (error) {
        show(this._problem, el('p', { class: 'error' }, error.message));
        return;
      }
      show(this._problem);
    }
    const objection = this._objection(label, lines);
    if (objection) {
      show(this._problem, el('p', { class: 'error' }, objection));
      (label && !/\s/u.test(label) && !this._app.catalogue.has(label) ? this._lines : this._name).focus();
      return;
    }
    this._submit.disabled = true;
    this._submit.textContent = 'Learning …';
    try {
      const others = EXAMPLES.map(({ text }) => text);
      const { text } = this._app.address.state;
      if (text.trim()) others.unshift(text);
      const lesson = await this._app.engine.ask('teach', label, lines, others);
      await this._app.refresh();
      this._show(lesson);
      this._app.announce(`It now knows ${label}.`);
    } catch (error) {
      show(this._problem, el('p', { class: 'error' }, error.message));
    } finally {
      this._submit.disabled = false;
      this._submit.textContent = 'Teach it';
    }
  }

  _named(label) {
    return isolated(this._app.catalogue.nameOf(label));
  }

  /** What lines were taken for, each with how often. @param {[string, number][]} answers */
  _taken(answers) {
    const names = { und: 'nothing that it was sure of', zxx: 'no language' };
    const items = answers
      .slice(0, 4)
      .map(([label, often]) => [names[label] ?? this._named(label), ` (${count(often)})`]);
    const rest = answers.slice(4).reduce((sum, [, often]) => sum + often, 0);
    return list(rest ? [...items, [`others (${count(rest)})`]] : items);
  }

  /** @param {import("./lesson.js").Lesson} lesson */
  _show(lesson) {
    const save = async () => {
      try {
        download(await this._app.engine.ask('save'), `${lesson.label}.unilid`, 'application/octet-stream');
      } catch (error) {
        this._app.announce(error.message, true);
      }
    };
    const right = lesson.lines.filter(({ after }) => after.label === lesson.label).length;
    show(
      this._result,
      el('h2', {}, 'It now knows ', isolated(lesson.label)),
      el(
        'ul',
        { class: 'findings' },
        this._before(lesson),
        el('li', {}, `Now ${right} of ${counted(lesson.lines.length, 'line')} are `, isolated(lesson.label), '.'),
        this._trial(lesson),
        this._others(lesson),
      ),
      this._tryIt(lesson),
      el('h3', {}, 'Your lines, before and after'),
      changes(lesson.lines.slice(0, SHOWN), (label) => this._named(label)),
      lesson.lines.length > SHOWN
        ? el('p', { class: 'note' }, `And ${counted(lesson.lines.length - SHOWN, 'more line')}.`)
        : null,
      el(
        'div',
        { class: 'tools' },
        el('button', { type: 'button', class: 'primary', on: { click: save } }, 'Download the model'),
        el('span', { class: 'note' }, "A .unilid file for this page's package, the command line and Python."),
      ),
    );
  }

  _before({ lines }) {
    const sums = new Map();
    for (const { before } of lines) sums.set(before.label, (sums.get(before.label) ?? 0) + 1);
    return el(
      'li',
      {},
      'Before, these lines were taken for ',
      ...this._taken([...sums].sort((a, b) => b[1] - a[1])),
      '.',
    );
  }

  _trial({ trial }) {
    if (!trial)
      return el('li', {}, 'With five lines or more, some would be held out to see how well the others taught.');
    const verb = trial.right === 1 ? 'is' : 'are';
    return el(
      'li',
      {},
      `Of ${counted(trial.asked, 'held-out line')}, ${count(trial.right)} ${verb} recognised by a model that was taught with the others alone.`,
      ...(trial.confused.length ? [' The rest is confused with ', ...this._taken(trial.confused), '.'] : []),
    );
  }

  _others({ changed, others }) {
    if (!changed.length) return el('li', {}, `None of ${counted(others, 'other text')} changed its answer.`);
    return el(
      'li',
      {},
      `${changed.length} of ${counted(others, 'other text')} changed: `,
      ...list(
        changed.map(({ text, before, after }) => [
          '“',
          isolated(text.slice(0, 40)),
          '…” from ',
          this._named(before.label),
          ' to ',
          this._named(after.label),
        ]),
      ),
      '.',
    );
  }

  _tryIt(lesson) {
    const id = newId('try');
    const answer = el('div', { class: 'tried', role: 'status' });
    const ask = latest((text) => this._app.engine.ask('compare', text));
    const input = /** @type {HTMLInputElement} */ (
      el('input', {
        id,
        type: 'text',
        dir: 'auto',
        value: lesson.label === SAMPLE.label ? SAMPLE.trial : '',
        placeholder: 'Another sentence',
        on: { input: tried },
      })
    );
    const named = (label) => this._named(label);
    async function tried() {
      if (!input.value.trim()) {
        show(answer);
        return;
      }
      const both = await ask(input.value);
      if (both) show(answer, changes([{ text: input.value, ...both }], named, true));
    }
    tried();
    return field('Try a sentence that it has not seen', input, answer);
  }
}

/** Items with commas between them. @param {(Node | string)[][]} items */
function list(items) {
  return items.flatMap((item, place) => (place ? [place === items.length - 1 ? ' and ' : ', ', ...item] : item));
}

function changes(rows, named, short = false) {
  const answer = ({ label, probability }) => [named(label), label === 'zxx' ? '' : ` ${percentage(probability)}`];
  return el(
    'table',
    { class: 'changes' },
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        short ? null : el('th', { scope: 'col' }, 'Line'),
        el('th', { scope: 'col' }, 'Before'),
        el('th', { scope: 'col' }, 'Now'),
      ),
    ),
    el(
      'tbody',
      {},
      ...rows.map(({ text, before, after }) =>
        el(
          'tr',
          { class: before.label === after.label ? '' : 'changed' },
          short ? null : el('td', {}, isolated(text)),
          el('td', {}, ...answer(before)),
          el('td', {}, ...answer(after)),
        ),
      ),
    ),
  );
}
