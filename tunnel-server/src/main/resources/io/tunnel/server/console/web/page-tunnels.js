// All tunnels, with how far behind they are. Figures come with the feed; those of tunnels that are not in it are asked for.
import { html, nothing } from './lib.js';
import { Page, empty, pager, table } from './parts.js';
import { ask, fewAtATime } from './api.js';
import { feed } from './feed.js';
import { texts } from './texts.js';
import { totals, hasLostHistory } from './grid.js';
import { tableLink, tunnelFigures, tunnelLink, tunnelState } from './page-overview.js';

const words = texts.tunnelList;
const SHOWN = 20;
const REFRESH_MS = 10_000;

/** @param {{ table: string, tunnel: string }} of */
const idOf = (of) => `${of.table}/${of.tunnel}`;

/**
 * The figures of a described tunnel, as the feed has them.
 *
 * @param {any} description
 * @returns {import('./feed.js').TunnelFigures}
 */
function figures(description) {
  /** @type {import('./grid.js').Channel[]} */
  const channels = description.channels;
  const { ms, changes } = totals(channels);
  const left = channels.flatMap((each) => each.historyLeftMs ?? []);
  return {
    table: description.info.table,
    tunnel: description.info.tunnel,
    lagSeconds: ms < 0 ? null : ms / 1000,
    lagChanges: changes,
    channels: channels.length,
    stopped: channels.filter((each) => each.error !== undefined).length,
    lost: channels.filter(hasLostHistory).length,
    sessions: (description.sessions ?? []).length,
    historyLeftSeconds: left.length === 0 ? null : Math.min(...left) / 1000,
  };
}

class TunnelsPage extends Page {
  constructor() {
    super();
    this.everyMs = REFRESH_MS;
    /** @type {{ tunnelId: string, tunnel: string, table: string, type: string }[] | null} */
    this.tunnels = null;
    this.filter = '';
    this.page = 0;
    /** @type {Map<string, import('./feed.js').TunnelFigures>} */
    this.asked = new Map();
  }

  async load() {
    this.tunnels = (await ask('LIST_TUNNELS')).tunnels;
    // The last page may have gone with what was on it.
    this.page = Math.max(0, Math.min(this.page, Math.ceil(this.fitting().length / SHOWN) - 1));
    this.requestUpdate();
    await this.describe();
  }

  async describe() {
    const live = new Set((feed.snapshot?.tunnels ?? []).map(idOf));
    await fewAtATime(
      this.shown().filter((each) => !live.has(idOf(each))),
      ({ table: of, tunnel }) => ask('DESCRIBE_TUNNEL', { table: of, tunnel }),
      (tunnel, answer) => {
        if (!(answer instanceof Error)) {
          this.asked.set(idOf(tunnel), figures(answer));
          this.requestUpdate();
        }
      },
    );
  }

  fitting() {
    const filter = this.filter.toLowerCase();
    return (this.tunnels ?? []).filter((each) => idOf(each).toLowerCase().includes(filter));
  }

  shown() {
    return this.fitting().slice(this.page * SHOWN, (this.page + 1) * SHOWN);
  }

  /** @param {number} page */
  go(page) {
    this.page = page;
    this.requestUpdate();
    this.describe();
  }

  /** @param {InputEvent} event */
  filtered(event) {
    this.filter = /** @type {HTMLInputElement} */ (event.target).value;
    this.go(0);
  }

  render() {
    return html`<h1 tabindex="-1">${texts.tunnels}</h1>
      ${this.trouble(this.tunnels !== null)} ${this.tunnels === null ? nothing : this.list(this.tunnels)}`;
  }

  /** @param {object[]} tunnels */
  list(tunnels) {
    if (tunnels.length === 0) {
      return empty(texts.home.noTunnels, texts.home.createTunnel);
    }
    const fitting = this.fitting();
    const live = new Map((feed.snapshot?.tunnels ?? []).map((each) => [idOf(each), each]));
    const rows = this.shown().map((each) => {
      const of = live.get(idOf(each)) ?? this.asked.get(idOf(each));
      const start = [tunnelLink(each.table, each.tunnel), tableLink(each.table), each.type];
      return of === undefined ? [...start, '…', '…', '…', '…', '…', '…'] : [...start, tunnelState(of), ...tunnelFigures(of)];
    });
    return html`<div class="tools">
        <label>${words.filter} <input type="search" .value=${this.filter} @input=${this.filtered} /></label>
        <span role="status">${words.total(fitting.length)}</span>
      </div>
      ${fitting.length === 0 ? empty(words.noMatch(this.filter)) : table(words.caption, words.headings, rows)}
      ${pager(this.page, SHOWN, fitting.length, (page) => this.go(page))}`;
  }
}
customElements.define('page-tunnels', TunnelsPage);
