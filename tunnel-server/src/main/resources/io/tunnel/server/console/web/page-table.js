// One table: its partitions and how evenly rows are spread, its tunnels, and its rows.
import { html, nothing } from './lib.js';
import { Page, bar, cell, empty, moment, operate, pager, table } from './parts.js';
import { Refused, ask, rows } from './api.js';
import { feed } from './feed.js';
import { texts } from './texts.js';
import { may } from './rights.js';
import { bound, bytes, bytesInput, count, counted, durationInput, printable, retentionChange, typedKey } from './format.js';
import { spread } from './grid.js';
import { retention } from './page-tables.js';
import { tailLink, tunnelLink } from './page-overview.js';

const words = texts.oneTable;
const ROWS_SHOWN = 50;
const PARTITIONS_SHOWN = 32;
const REFRESH_MS = 5_000;

class TablePage extends Page {
  constructor() {
    super();
    this.everyMs = REFRESH_MS;
    /** @type {import('./page-tables.js').TableDescription | null} */
    this.table = null;
    /** @type {{ tunnel: string }[]} */
    this.tunnels = [];
    /** @type {import('./api.js').RowPage | null} */
    this.rows = null;
    /** @type {Refused | null} */
    this.rowsError = null;
    this.isReading = false;
    /** Page of the list of partitions. */
    this.page = 0;
  }

  get name() {
    return this.words[0];
  }

  async load() {
    this.table = await ask('DESCRIBE_TABLE', { table: this.name });
    this.tunnels = (await ask('LIST_TUNNELS', { table: this.name })).tunnels;
  }

  render() {
    return html`<h1 tabindex="-1">${words.title(this.name)}</h1>
      ${this.trouble(this.table !== null)} ${this.table === null ? nothing : this.content(this.table)}`;
  }

  /** @param {import('./page-tables.js').TableDescription} of */
  content(of) {
    const counts = of.partitions.map((each) => each.rowCount);
    const { total, min, mean, max, skew } = spread(counts);
    const about = of.partitions.every((each) => each.rowCountIsExact) ? '' : '~';
    const size = of.partitions.reduce((sum, each) => sum + each.byteCount, 0);
    return html`<dl class="facts">
        <dt>${words.key}</dt>
        <dd>${of.meta.primaryKey.map((column) => `${printable(column.name)} ${column.type}`).join(', ')}</dd>
        <dt>${words.rows}</dt>
        <dd>${about}${count(total)}, ${bytes(size)}</dd>
        <dt>${words.spread}</dt>
        <dd>${about}${words.spreadText(count(min), count(mean), count(max), skew.toFixed(2))}</dd>
        <dt>${words.durability}</dt>
        <dd>${of.meta.options.durability}</dd>
        <dt>${words.retention}</dt>
        <dd>${retention(of.meta.options)}</dd>
        <dt>${words.created}</dt>
        <dd>${moment(of.createdMs)}</dd>
        <dt>${words.tunnels}</dt>
        <dd>${this.tunnels.length === 0 ? html`${words.noTunnels} <code>${words.createTunnel(this.name)}</code>` : this.tunnels.map((each) => html`${tunnelLink(this.name, each.tunnel)} `)}</dd>
      </dl>
      ${may(feed.identity, 'alter', { table: this.name })
        ? html`<div class="buttons"><button type="button" id="alter" @click=${() => this.alter(of)}>${words.alter}</button></div>`
        : nothing}
      <h2>${words.partitions}</h2>
      ${this.partitions(of, max)}
      <h2>${words.browse}</h2>
      ${may(feed.identity, 'read', { table: this.name }) ? this.browser(of) : empty(words.notPermitted)}`;
  }

  /**
   * @param {import('./page-tables.js').TableDescription} of
   * @param {number} max
   */
  partitions(of, max) {
    const hasLeaders = of.partitions.some((each) => each.leader !== undefined);
    const go = /** @param {number} page */ (page) => {
      this.page = page;
      this.requestUpdate();
    };
    const shown = of.partitions.slice(this.page * PARTITIONS_SHOWN, (this.page + 1) * PARTITIONS_SHOWN);
    const mayRead = may(feed.identity, 'read', { table: this.name });
    return html`${table(
      words.partitions,
      [...words.headings, ...(hasLeaders ? [words.leader] : []), ...(mayRead ? [words.changes] : [])],
      shown.map((each) => [
        String(each.id),
        bound(each.from, words.lowest),
        bound(each.to, words.highest),
        (each.rowCountIsExact ? '' : '~') + count(each.rowCount),
        bytes(each.byteCount),
        each.changeBytes < 0 ? texts.unknown : bytes(each.changeBytes),
        count(each.firstPosition),
        count(each.committed),
        bar(each.rowCount, max),
        ...(hasLeaders ? [each.leader ?? texts.unknown] : []),
        ...(mayRead ? [tailLink(this.name, each.id)] : []),
      ]),
    )}
    ${pager(this.page, PARTITIONS_SHOWN, of.partitions.length, go)}`;
  }

  /** @param {import('./page-tables.js').TableDescription} of */
  browser(of) {
    const edge = /** @param {string} prefix @param {string} label */ (prefix, label) =>
      of.meta.primaryKey.map((column) => html`<label>${words.keyLabel(printable(column.name), column.type, label)}
        <input name="${prefix}:${column.name}" autocomplete="off" spellcheck="false" /></label>`);
    return html`<form class="tools" id="browse" @submit=${this.browse}>
        ${edge('from', words.from)} ${edge('to', words.to)}
        <button class="primary" ?disabled=${this.isReading}>${words.show}</button>
      </form>
      <div aria-live="polite">${this.rowsError !== null ? html`<p class="note bad" role="alert">${this.rowsError.code}: ${this.rowsError.message}</p>` : this.found()}</div>`;
  }

  found() {
    if (this.rows === null) {
      return html`<p class="note">${words.browseText}</p>`;
    }
    const page = this.rows;
    if (page.rows.length === 0) {
      const isEmpty = (this.table?.partitions ?? []).every((each) => each.rowCount === 0);
      return isEmpty ? empty(words.noRowsAtAll, words.put(this.name)) : empty(words.noRows);
    }
    const key = (this.table?.meta.primaryKey ?? []).map((column) => column.name);
    const others = page.columns.filter((column) => !key.includes(column.name));
    const headings = [
      ...(this.table?.meta.primaryKey ?? []).map((column) => `${printable(column.name)} ${column.type}`),
      ...others.map((column) => `${printable(column.name)} ${column.types.join(' | ')}`),
    ];
    return html`${table(
        words.rowsCaption,
        headings,
        page.rows.map((row) => [...key.map((name) => cell(row.key[name])), ...others.map((column) => cell(row.columns[column.name], column.types.length > 1))]),
      )}
      <div class="buttons">
        <span role="status">${counted(page.rows.length, 'row')}</span>
        ${page.next === null ? nothing : html`<button type="button" id="next-rows" ?disabled=${this.isReading} @click=${() => this.read(() => page.next)}>${texts.next}</button>`}
      </div>`;
  }

  /** @param {Event} event */
  browse(event) {
    event.preventDefault();
    this.read(() => this.edge('from'));
  }

  /**
   * The first columns of the key that is typed; null for no bound.
   *
   * @param {string} prefix
   * @returns {Record<string, string> | null}
   */
  edge(prefix) {
    const form = new FormData(/** @type {HTMLFormElement} */ (this.querySelector('#browse')));
    return typedKey(this.table?.meta.primaryKey ?? [], (name) => String(form.get(`${prefix}:${name}`) ?? ''));
  }

  /** @param {() => import('./api.js').Bound} from */
  async read(from) {
    this.isReading = true;
    this.requestUpdate();
    try {
      this.rows = await rows({ table: this.name, from: from(), to: this.edge('to'), limit: ROWS_SHOWN });
      this.rowsError = null;
    } catch (e) {
      this.rowsError = e instanceof Refused ? e : new Refused('INVALID_REQUEST', e instanceof Error ? e.message : String(e), 0);
    }
    this.isReading = false;
    this.requestUpdate();
  }

  /** @param {import('./page-tables.js').TableDescription} of */
  alter(of) {
    const { options } = of.meta;
    const shown = { age: durationInput(options.retentionMs ?? 0), size: bytesInput(options.retentionBytes ?? 0) };
    const typed = /** @param {FormData} form */ (form) => ({ age: String(form.get('age') ?? shown.age), size: String(form.get('size') ?? shown.size) });
    const change = /** @param {FormData} form */ (form) => {
      const asked = retentionChange(shown, typed(form));
      if (asked.retentionMs === null || asked.retentionBytes === null) {
        throw new Error(asked.retentionMs === null ? words.badAge : words.badSize);
      }
      if (Object.keys(asked).length === 0) {
        throw new Error(words.noChange);
      }
      return asked;
    };
    operate(
      {
        title: `${words.alter}: ${this.name}`,
        text: words.alterText,
        verb: words.alterGo,
        command: (form) => {
          const { age, size } = typed(form);
          const flags = [age === shown.age ? '' : ` --retention ${age}`, size === shown.size ? '' : ` --retention-bytes ${size}`].join('');
          return `tunnel tables alter --table ${this.name}${flags || ' --retention 7d'}`;
        },
        fields: () => html`<label>${words.age} <input name="age" required value=${shown.age} /></label>
          <label>${words.size} <input name="size" required value=${shown.size} /></label>`,
        plan: async (form) => {
          const asked = change(form);
          // Another operator may have changed the options since the dialog was opened.
          const now = (await ask('PARTITION_MAP', { table: this.name })).meta.options;
          return words.alterPlan(retention(now), retention({ ...now, ...asked }));
        },
        act: async (form) => {
          const answer = await ask('ALTER_TABLE', { table: this.name, options: change(form) });
          return words.altered(retention(answer.meta.options));
        },
      },
      () => this.reload(),
    );
  }
}
customElements.define('page-table', TablePage);
