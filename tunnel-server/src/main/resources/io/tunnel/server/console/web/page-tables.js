// All tables. The list has names alone; what is on the page is described, a few at a time.
import { html, nothing } from './lib.js';
import { Page, empty, pager, table } from './parts.js';
import { ask, fewAtATime } from './api.js';
import { texts } from './texts.js';
import { bytes, count, duration } from './format.js';
import { spread } from './grid.js';
import { tableLink } from './page-overview.js';

const words = texts.tableList;
const SHOWN = 20;
const REFRESH_MS = 10_000;

/**
 * @typedef {{ id: number, from: string, to: string, parents: number[], rowCount: number, rowCountIsExact: boolean, byteCount: number,
 *   changeBytes: number, firstPosition: number, committed: number, leader?: string }} Partition
 * @typedef {{ durability: string, retentionMs?: number, retentionBytes?: number }} TableOptions
 * @typedef {{ tableId: number, meta: { name: string, primaryKey: { name: string, type: string }[], options: TableOptions },
 *   createdMs: number, partitions: Partition[], creator?: string }} TableDescription
 */

/** @param {TableOptions} options */
export function retention(options) {
  const parts = [
    options.retentionMs ? duration(options.retentionMs) : '',
    options.retentionBytes ? bytes(options.retentionBytes) : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? texts.forEver : parts.join(' and ');
}

class TablesPage extends Page {
  constructor() {
    super();
    this.everyMs = REFRESH_MS;
    /** @type {string[] | null} */
    this.names = null;
    this.filter = '';
    this.page = 0;
    /** @type {Map<string, TableDescription>} */
    this.described = new Map();
  }

  async load() {
    this.names = (await ask('LIST_TABLES')).tables.sort();
    // The last page may have gone with what was on it.
    this.page = Math.max(0, Math.min(this.page, Math.ceil(this.fitting().length / SHOWN) - 1));
    await this.describe();
  }

  fitting() {
    const filter = this.filter.toLowerCase();
    return (this.names ?? []).filter((name) => name.toLowerCase().includes(filter));
  }

  shown() {
    return this.fitting().slice(this.page * SHOWN, (this.page + 1) * SHOWN);
  }

  async describe() {
    this.requestUpdate();
    await fewAtATime(
      this.shown(),
      (name) => ask('DESCRIBE_TABLE', { table: name }),
      (name, answer) => {
        if (!(answer instanceof Error)) {
          this.described.set(name, answer);
          this.requestUpdate();
        }
      },
    );
  }

  /** @param {number} page */
  go(page) {
    this.page = page;
    this.described.clear();
    this.describe();
  }

  /** @param {InputEvent} event */
  filtered(event) {
    this.filter = /** @type {HTMLInputElement} */ (event.target).value;
    this.go(0);
  }

  /** @param {string} name */
  row(name) {
    const of = this.described.get(name);
    if (of === undefined) {
      return [tableLink(name), '…', '…', '…', '…', '…'];
    }
    const { total, skew } = spread(of.partitions.map((each) => each.rowCount));
    const about = of.partitions.every((each) => each.rowCountIsExact) ? '' : '~';
    return [
      tableLink(name),
      count(of.partitions.length),
      about + count(total),
      bytes(of.partitions.reduce((sum, each) => sum + each.byteCount, 0)),
      skew.toFixed(2),
      retention(of.meta.options),
    ];
  }

  render() {
    return html`<h1 tabindex="-1">${texts.tables}</h1>
      ${this.trouble(this.names !== null)} ${this.names === null ? nothing : this.list(this.names)}`;
  }

  /** @param {string[]} names */
  list(names) {
    if (names.length === 0) {
      return empty(words.none, words.create);
    }
    const fitting = this.fitting();
    return html`<div class="tools">
        <label>${words.filter} <input type="search" .value=${this.filter} @input=${this.filtered} /></label>
        <span role="status">${words.total(fitting.length)}</span>
      </div>
      ${fitting.length === 0 ? empty(words.noMatch(this.filter)) : table(words.caption, words.headings, this.shown().map((name) => this.row(name)))}
      ${pager(this.page, SHOWN, fitting.length, (page) => this.go(page))}`;
  }
}
customElements.define('page-tables', TablesPage);
