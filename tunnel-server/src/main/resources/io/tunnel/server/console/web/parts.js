// What pages are made of: a page that loads again and again, its empty and error states, and the dialog of operations.
import { LitElement, html, nothing } from './lib.js';
import { Refused } from './api.js';
import { feed } from './feed.js';
import { texts } from './texts.js';
import { bytes, hexOfBase64, instant, printable } from './format.js';

/** Longer texts of the data are folded. */
const TEXT_SHOWN_MAX = 200;

/** An element in the document itself, so that one style sheet is for all. */
export class Part extends LitElement {
  createRenderRoot() {
    return this;
  }
}

/**
 * A page. It loads when it is shown, and again after a while as long as somebody looks; it renders whenever the feed changes.
 */
export class Page extends Part {
  constructor() {
    super();
    /** Words of the route behind the page's own, such as a table's name. @type {string[]} */
    this.words = [];
    /** Milliseconds between two loads; 0 for one load alone. */
    this.everyMs = 0;
    /** Whether a load has ended. */
    this.isLoaded = false;
    /** @type {Refused | null} */
    this.error = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.onFeed = () => this.requestUpdate();
  }

  connectedCallback() {
    super.connectedCallback();
    feed.addEventListener('change', this.onFeed);
    this.reload();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    feed.removeEventListener('change', this.onFeed);
    clearTimeout(this.timer);
  }

  /** Fetches what the page shows. @returns {Promise<void>} */
  async load() {}

  async reload() {
    clearTimeout(this.timer);
    if (!document.hidden || !this.isLoaded) {
      try {
        await this.load();
        this.error = null;
      } catch (e) {
        this.error = e instanceof Refused ? e : new Refused('INTERNAL', String(e), 0);
        if (this.error.status === 401) {
          feed.end();
        }
      }
      this.isLoaded = true;
      this.requestUpdate();
    }
    clearTimeout(this.timer);
    if (this.isConnected && this.everyMs > 0) {
      this.timer = setTimeout(() => this.reload(), this.everyMs);
    }
  }

  /**
   * The error, the wait for the first load, or nothing.
   *
   * @param {boolean} hasData
   */
  trouble(hasData) {
    if (this.error !== null) {
      return html`<div class="note bad" role="alert">
        <strong>${texts.errors[this.error.code] ?? texts.errors.OTHER}</strong>
        <span>${this.error.code}: ${this.error.message}</span>
        <button type="button" @click=${() => this.reload()}>${texts.again}</button>
      </div>`;
    }
    return hasData ? nothing : html`<p class="note" role="status">${texts.loading}</p>`;
  }
}

/**
 * A state without data, which says what to do next.
 *
 * @param {string} text
 * @param {string} [command] of the command line
 */
export function empty(text, command) {
  return html`<div class="note">
    <span>${text}</span>
    ${command === undefined ? nothing : html`<code>${command}</code>`}
  </div>`;
}

/**
 * A table of texts. Columns whose heading begins with ">" are aligned right, as the command line aligns them.
 *
 * @param {string} caption for screen readers
 * @param {string[]} headings
 * @param {unknown[][]} rows the first cell of a row is its heading
 */
export function table(caption, headings, rows) {
  const side = headings.map((heading) => (heading.startsWith('>') ? 'right' : ''));
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption class="hidden">${caption}</caption>
      <thead>
        <tr>${headings.map((heading, index) => html`<th scope="col" class=${side[index]}>${heading.replace(/^>/, '')}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map((cells) => html`<tr>
          ${cells.map((cell, index) =>
            index === 0
              ? html`<th scope="row" class=${side[index]}>${cell}</th>`
              : html`<td class=${side[index] ?? ''}>${cell}</td>`)}
        </tr>`)}
      </tbody>
    </table>
  </div>`;
}

/**
 * A bar as the share of the largest; the figure beside it says the same in digits.
 *
 * @param {number} value
 * @param {number} max
 */
export function bar(value, max) {
  const width = max <= 0 ? 0 : Math.max(value > 0 ? 1 : 0, (value * 100) / max);
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="rail" width="100" height="8"></rect>
    <rect class="fill" width=${width} height="8"></rect>
  </svg>`;
}

/**
 * Buttons to go through pages.
 *
 * @param {number} page from 0
 * @param {number} size entries on a page
 * @param {number} total entries
 * @param {(page: number) => void} go
 */
export function pager(page, size, total, go) {
  if (total <= size) {
    return nothing;
  }
  const last = Math.ceil(total / size) - 1;
  return html`<nav class="pager" aria-label=${texts.pages}>
    <button type="button" ?disabled=${page === 0} @click=${() => go(page - 1)}>${texts.previous}</button>
    <span role="status">${texts.range(page * size + 1, Math.min(total, (page + 1) * size), total)}</span>
    <button type="button" ?disabled=${page >= last} @click=${() => go(page + 1)}>${texts.next}</button>
  </nav>`;
}

/**
 * A text of the data. A long text shows its beginning, and unfolds.
 *
 * @param {string} text
 */
export function long(text) {
  const shown = printable(text);
  return shown.length <= TEXT_SHOWN_MAX
    ? html`<span class="value">${shown}</span>`
    : html`<details class="value"><summary>${shown.slice(0, TEXT_SHOWN_MAX)}…</summary>${shown.slice(TEXT_SHOWN_MAX)}</details>`;
}

/**
 * A value of a row; a long one says how long it is.
 *
 * @param {import('./api.js').Value | undefined} of
 * @param {boolean} [isTyped] whether the type is shown beside the value
 */
export function cell(of, isTyped = false) {
  if (of === undefined) {
    return '';
  }
  return html`${isTyped ? html`<small>${of.type}</small> ` : nothing}${long(of.value ?? hexOfBase64(of.bytes ?? ''))}${of.truncated
    ? html` <small>${texts.oneTable.cut(bytes(of.truncated))}</small>`
    : nothing}`;
}

/** @param {number} ms */
export function moment(ms) {
  return html`<time datetime=${instant(ms)}>${instant(ms)}</time>`;
}

/**
 * What an operation asks and does.
 *
 * @typedef {object} Operation
 * @property {string} title
 * @property {string} text what it does, in a sentence
 * @property {string} verb of the button that does it
 * @property {(form: FormData) => string} command the command that does the same
 * @property {((form: FormData) => unknown) | undefined} [fields] inputs, if any; they are rendered again when one changes
 * @property {((form: FormData) => Promise<unknown>) | undefined} [plan] shows the effect before the operation; throws what to say
 * @property {(form: FormData) => Promise<unknown>} act does it and says what was done
 */

/** The one dialog: first what would happen, then the question, then what was done. */
export class OperationDialog extends Part {
  static properties = { operation: { state: true }, planned: { state: true }, done: { state: true }, fault: { state: true }, isBusy: { state: true } };

  constructor() {
    super();
    /** @type {Operation | null} */
    this.operation = null;
    /** @type {unknown} */
    this.planned = undefined;
    /** @type {unknown} */
    this.done = undefined;
    this.fault = '';
    this.isBusy = false;
    /** @type {() => void} */
    this.after = () => {};
    /** The values that were planned, so that only what was shown is done. @type {FormData} */
    this.form = new FormData();
    this.onFeed = () => this.interrupt();
  }

  connectedCallback() {
    super.connectedCallback();
    feed.addEventListener('change', this.onFeed);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    feed.removeEventListener('change', this.onFeed);
  }

  /** Without a session nothing of the dialog can be done: it closes, and the log-in says so. */
  interrupt() {
    if (feed.condition === 'loggedOut' && this.operation !== null) {
      if (this.done === undefined) {
        feed.interrupted = { title: this.operation.title, isBusy: this.isBusy };
      }
      this.close();
    }
  }

  /**
   * @param {Operation} operation
   * @param {() => void} after called when it was done
   */
  async open(operation, after) {
    this.operation = operation;
    this.planned = undefined;
    this.done = undefined;
    this.fault = '';
    this.form = new FormData();
    this.after = after;
    await this.updateComplete;
    this.querySelector('form')?.reset();
    this.querySelector('dialog')?.showModal();
  }

  close() {
    this.querySelector('dialog')?.close();
  }

  /** Inputs changed: what was planned is not what would be done. */
  changed() {
    this.planned = undefined;
    this.fault = '';
    this.form = new FormData(this.querySelector('form') ?? undefined);
    this.requestUpdate();
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    const { operation, after } = this;
    if (operation === null || this.isBusy) {
      return;
    }
    this.isBusy = true;
    this.fault = '';
    try {
      if (operation.plan !== undefined && this.planned === undefined) {
        const form = new FormData(this.querySelector('form') ?? undefined);
        this.form = form;
        const planned = await operation.plan(form);
        // Meanwhile an input was changed, or the dialog shows another operation: this is not what would be done.
        if (this.operation === operation && this.form === form) {
          this.planned = planned;
        }
      } else {
        if (operation.plan === undefined) {
          this.form = new FormData(this.querySelector('form') ?? undefined);
        }
        const done = (await operation.act(this.form)) ?? texts.done;
        after();
        if (this.operation === operation) {
          this.done = done;
        }
      }
    } catch (e) {
      if (e instanceof Refused && e.status === 401) {
        this.isBusy = false;
        feed.end();
      } else if (this.operation === operation) {
        this.fault = e instanceof Refused ? `${e.code}: ${e.message}` : e instanceof Error ? e.message : String(e);
      }
    } finally {
      this.isBusy = false;
    }
  }

  render() {
    const { operation } = this;
    return html`<dialog aria-labelledby="operation-title" @close=${() => (this.operation = null)}>
      ${operation === null ? nothing : html`<form @submit=${this.submit} @input=${this.changed}>
        <h2 id="operation-title">${operation.title}</h2>
        <p>${operation.text}</p>
        ${this.done === undefined ? operation.fields?.(this.form) ?? nothing : nothing}
        <div class="effect" role="status" aria-live="polite">
          ${this.done !== undefined ? html`<div class="note good" id="operation-done">${this.done}</div>` : this.planned ?? nothing}
        </div>
        ${this.fault === '' ? nothing : html`<p class="note bad" role="alert">${this.fault}</p>`}
        <p class="same">${texts.sameCommand} <code>${operation.command(this.form)}</code></p>
        <div class="buttons">
          ${this.done === undefined
            ? html`<button type="submit" class="primary" id="operation-go" ?disabled=${this.isBusy}>
                ${operation.plan !== undefined && this.planned === undefined ? texts.showEffect : operation.verb}
              </button>`
            : nothing}
          <button type="button" id="operation-close" @click=${this.close}>${this.done === undefined ? texts.cancel : texts.close}</button>
        </div>
      </form>`}
    </dialog>`;
  }
}
customElements.define('operation-dialog', OperationDialog);

/**
 * Opens the dialog.
 *
 * @param {Operation} operation
 * @param {() => void} after
 */
export function operate(operation, after) {
  const dialog = document.querySelector('operation-dialog');
  if (dialog instanceof OperationDialog) {
    dialog.open(operation, after);
  }
}
