// The changes of one partition as they come, without a tunnel: nothing is stored, and no progress moves.
import { html, nothing } from './lib.js';
import { Page, cell, empty, long, moment, table } from './parts.js';
import { Refused, ask, changes } from './api.js';
import { feed } from './feed.js';
import { texts } from './texts.js';
import { may } from './rights.js';
import { count, printable, typedKey } from './format.js';
import { TailCore, beginning, isGap } from './tail.js';
import { tableLink } from './page-overview.js';

/** @typedef {import('./tail.js').Change} Change */

const words = texts.tail;

/** The server waits up to a second for changes, so the page needs no longer rest between two requests. */
const REST_MS = 250;
const AFTER_ERROR_MS = 2_000;
const NEWEST_MS = 5_000;

class TailPage extends Page {
  constructor() {
    super();
    this.everyMs = REST_MS;
    this.tail = new TailCore();
    /** @type {{ name: string, type: string }[] | null} */
    this.keyColumns = null;
    this.newestMs = 0;
    this.fault = '';
    /** What is picked in the form. */
    this.start = 'latest';
    /** Where the page began, as the command line says it. */
    this.begun = 'latest';
    /** @type {import('./api.js').Bound} */
    this.key = null;
  }

  get on() {
    return { table: this.words[0], partition: Number(this.words[1]) };
  }

  get mayRead() {
    return may(feed.identity, 'read', { table: this.on.table });
  }

  async load() {
    // After an error the page waits longer before it asks again.
    this.everyMs = AFTER_ERROR_MS;
    if (this.mayRead) {
      await this.step();
    }
    this.everyMs = REST_MS;
  }

  async step() {
    const { tail } = this;
    this.keyColumns ??= (await ask('PARTITION_MAP', { table: this.on.table })).meta.primaryKey;
    if (tail.place === null) {
      await this.find('latest');
    }
    if (tail.isFollowing) {
      await this.follow();
    }
    if (tail.isFollowing && Date.now() - this.newestMs > NEWEST_MS) {
      this.newestMs = Date.now();
      tail.told((await changes({ ...this.on, after: 'latest', key: null })).next.position);
    }
  }

  /** @param {Parameters<typeof changes>[0]['after']} after */
  async find(after) {
    const isPlace = typeof after === 'object' && 'position' in after;
    this.tail.begin(isPlace ? after : (await changes({ ...this.on, after, key: null })).next);
    this.newestMs = 0;
  }

  /** Reads what is behind the place. */
  async follow() {
    const { tail } = this;
    const asked = /** @type {import('./tail.js').Place} */ (tail.place);
    try {
      tail.took(asked, await changes({ ...this.on, after: asked, key: this.key }));
    } catch (e) {
      if (!(e instanceof Refused) || (e.code !== 'HISTORY_LOST' && e.code !== 'POSITION_REPLACED')) {
        throw e;
      }
      if (e.code === 'POSITION_REPLACED') {
        tail.replaced();
      } else if (!tail.lost(asked, (await changes({ ...this.on, after: 'earliest', key: null })).next)) {
        throw e;
      }
    }
  }

  /** @param {() => void | Promise<void>} action */
  async act(action) {
    this.fault = '';
    try {
      await action();
    } catch (e) {
      this.fault = e instanceof Refused ? `${e.code}: ${e.message}` : e instanceof Error ? e.message : String(e);
    }
    this.requestUpdate();
  }

  /** @param {Event} event */
  begin(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    this.act(async () => {
      const key = this.typedKey(form);
      const start = beginning(form);
      await this.find(start);
      this.key = key;
      this.begun = typeof start === 'string' ? start : 'timeMs' in start ? String(start.timeMs) : String(form.get('position'));
    });
  }

  /**
   * The first columns of a key that are typed; null for all keys.
   *
   * @param {FormData} form
   */
  typedKey(form) {
    return typedKey(this.keyColumns ?? [], (name) => String(form.get(`key:${name}`) ?? ''));
  }

  toNewest() {
    return this.act(async () => this.tail.goTo((await changes({ ...this.on, after: 'latest', key: null })).next));
  }

  render() {
    const { table: of, partition } = this.on;
    return html`<h1 tabindex="-1">${words.title(String(partition), of)}</h1>
      ${this.mayRead ? html`${this.trouble(this.tail.place !== null)} ${this.content()}` : empty(words.notPermitted)}`;
  }

  content() {
    const { tail } = this;
    const { table: of, partition } = this.on;
    return html`<p>${words.text} ${tableLink(of)}</p>
      ${this.form()} ${this.fault === '' ? nothing : html`<p class="note bad" role="alert">${this.fault}</p>`}
      ${tail.state === 'replaced' ? html`<p class="note bad" id="replaced" role="alert">✖ ${words.replaced}</p>` : nothing}
      ${tail.place === null ? nothing : this.status(tail.place)}
      ${tail.entries.length === 0 ? empty(this.key === null ? words.none : words.noneOfKey) : this.list()}
      <p class="same">${this.key === null ? texts.sameCommand : words.sameOfAllKeys} <code>${words.command(of, partition, this.begun)}</code></p>`;
  }

  form() {
    const picked = /** @param {Event} event */ (event) => {
      this.start = /** @type {HTMLSelectElement} */ (event.target).value;
      this.requestUpdate();
    };
    return html`<form class="tools" id="tail-from" @submit=${this.begin}>
      <label>${words.from}
        <select name="from" @change=${picked}>${Object.entries(words.starts).map(([name, text]) => html`<option value=${name} ?selected=${name === this.start}>${text}</option>`)}</select>
      </label>
      ${this.start === 'time'
        ? html`<label>${texts.operations.time(Intl.DateTimeFormat().resolvedOptions().timeZone)} <input type="datetime-local" step="1" name="time" required /></label>`
        : nothing}
      ${this.start === 'position' ? html`<label>${words.position} <input name="position" inputmode="numeric" required /></label>` : nothing}
      ${(this.keyColumns ?? []).map((column) => html`<label>${words.keyLabel(printable(column.name), column.type)}
        <input name="key:${column.name}" autocomplete="off" spellcheck="false" /></label>`)}
      <button class="primary">${words.begin}</button>
    </form>`;
  }

  /** @param {import('./tail.js').Place} place */
  status(place) {
    const { tail } = this;
    const kept = tail.entries.filter((entry) => !isGap(entry)).length;
    const isPaused = tail.state === 'paused';
    const parts = [
      words.states[tail.state],
      words.status(place.position, tail.seen),
      ...(tail.behind ? [words.behind(tail.behind)] : []),
      ...(kept < tail.seen ? [words.kept(kept, tail.seen)] : []),
    ];
    return html`<div class="buttons">
      <button type="button" id="tail-pause" ?disabled=${tail.state === 'replaced'} aria-pressed=${isPaused}
        @click=${() => this.act(() => (isPaused ? tail.resume() : tail.pause()))}>${isPaused ? words.resume : words.pause}</button>
      ${tail.behind && tail.isFollowing ? html`<button type="button" id="tail-newest" @click=${this.toNewest}>${words.toNewest}</button>` : nothing}
      <span id="tail-status">${parts.join('; ')}</span>
    </div>`;
  }

  list() {
    return table(
      words.caption,
      words.headings,
      this.tail.entries.map((entry) =>
        'gap' in entry
          ? ['—', count(entry.to), '—', '—', html`<strong class=${entry.gap === 'lost' ? 'bad' : ''}>${words.gaps[entry.gap](entry.from, entry.to)}</strong>`]
          : row(entry),
      ),
    );
  }
}
customElements.define('page-tail', TailPage);

/** @param {Change} change */
function row(change) {
  const set = Object.entries(change.columns).map(([name, value]) => html`<span class="pair">${printable(name)} <small>${value.type}</small> ${cell(value)}${value.delta === undefined ? nothing : html` <small>${value.delta}</small>`}</span> `);
  const removed = change.removed.map((name) => html`<span class="pair">${long(words.removed(name))}</span> `);
  return [
    moment(change.atMs),
    count(change.position),
    change.cause === undefined ? change.kind : `${change.kind} ${change.cause}`,
    Object.entries(change.key).map(([name, value]) => html`<span class="pair">${printable(name)} ${cell(value)}</span> `),
    html`${set}${removed}${change.omitted === 0 ? nothing : words.omitted(change.omitted)}`,
  ];
}
