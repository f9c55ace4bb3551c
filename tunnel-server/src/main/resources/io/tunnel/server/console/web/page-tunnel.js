// One tunnel: its channels as a grid, what stopped, who works, what was skipped, and what an operator can do.
import { html, nothing, repeat, svg } from './lib.js';
import { Page, empty, long, moment, table } from './parts.js';
import { ask } from './api.js';
import { feed } from './feed.js';
import { texts } from './texts.js';
import { may } from './rights.js';
import { bytes, count, counted, duration, historyLeft, instant, keyText, known, printable } from './format.js';
import * as grid from './grid.js';
import { clone, endSession, exportProgress, pause, resume, seek } from './operations.js';
import { tableLink, tailLink } from './page-overview.js';

/** @typedef {import('./grid.js').Channel} Channel */

const words = texts.oneTunnel;
const REFRESH_MS = 2_000;
const RATES_KEPT = 30;
const TROUBLES_SHOWN = 50;
const SPARK = { width: 160, height: 28 };

class TunnelPage extends Page {
  constructor() {
    super();
    this.everyMs = REFRESH_MS;
    /** @type {any} */
    this.tunnel = null;
    this.loadedMs = 0;
    this.order = 'partition';
    this.ownerFilter = '';
    this.stateFilter = '';
    /** The id of the channel whose cell has the focus. */
    this.picked = '';
    /** Checkpointed changes per second of each channel, oldest first. @type {Map<string, number[]>} */
    this.rates = new Map();
  }

  get on() {
    return { table: this.words[0], tunnel: this.words[1], channels: /** @type {string[]} */ ([]) };
  }

  async load() {
    const { table: of, tunnel } = this.on;
    const before = this.tunnel;
    const beforeMs = this.loadedMs;
    this.tunnel = await ask('DESCRIBE_TUNNEL', { table: of, tunnel });
    this.loadedMs = Date.now();
    if (before !== null) {
      this.note(before.channels, (this.loadedMs - beforeMs) / 1000);
    }
  }

  /**
   * @param {Channel[]} before
   * @param {number} seconds
   */
  note(before, seconds) {
    const last = new Map(before.map((each) => [each.channelId, each.checkpointed]));
    for (const channel of /** @type {Channel[]} */ (this.tunnel.channels)) {
      const from = last.get(channel.channelId) ?? channel.checkpointed;
      const rates = this.rates.get(channel.channelId) ?? [];
      rates.push(Math.max(0, channel.checkpointed - from) / Math.max(0.1, seconds));
      this.rates.set(channel.channelId, rates.slice(-RATES_KEPT));
    }
  }

  /** @param {string} right */
  mayDo(right) {
    return may(feed.identity, right, { table: this.on.table, tunnel: this.on.tunnel });
  }

  render() {
    const { table: of, tunnel } = this.on;
    return html`<h1 tabindex="-1">${words.title(tunnel, of)}</h1>
      ${this.trouble(this.tunnel !== null)} ${this.tunnel === null ? nothing : this.content()}`;
  }

  content() {
    /** @type {Channel[]} */
    const channels = this.tunnel.channels;
    return html`${this.facts(channels)} ${this.mayDo('operate') ? this.operations() : nothing}
      <h2>${words.channels}</h2>
      ${channels.length === 0 ? empty(words.noChannels) : this.cells(channels)} ${this.troubles(channels)}
      <h2>${words.sessions}</h2>
      ${this.sessions()}
      <h2>${words.skipped}</h2>
      ${this.skipped()}`;
  }

  /** @param {Channel[]} channels */
  facts(channels) {
    const { info, isPaused } = this.tunnel;
    const { changes, rows, bytes: size, ms, held, owners } = grid.totals(channels);
    const base = grid.baseProgress(channels);
    const lefts = channels.flatMap((each) => each.historyLeftMs ?? []);
    const noun = /** @param {number} value */ (value) => counted(value, 'row');
    return html`<dl class="facts">
      <dt>${words.type}</dt>
      <dd>${info.type}${isPaused ? html` <strong class="bad">‖ ${words.paused}</strong>` : nothing}</dd>
      <dt>${words.start}</dt>
      <dd>${info.startMs === undefined ? info.start : moment(info.startMs)}</dd>
      ${info.endMs === undefined ? nothing : html`<dt>${words.end}</dt><dd>${moment(info.endMs)}</dd>`}
      <dt>${words.health}</dt>
      <dd>${grid.tally(channels).map(([state, number]) => html`<span class="tally"><span class="chip ${state}" aria-hidden="true">${grid.letter(state)}</span> ${count(number)} ${words.states[state]}</span> `)}</dd>
      <dt>${words.behind}</dt>
      <dd>${words.behindText(rows < 0 && changes >= 0 ? words.withoutBase(count(changes)) : known(rows, noun), known(size, bytes), known(ms, duration))}</dd>
      <dt>${words.history}</dt>
      <dd>${historyLeft(lefts.length === 0 ? null : Math.min(...lefts))}</dd>
      <dt>${words.held}</dt>
      <dd>${words.heldText(counted(channels.length, 'channel'), count(held), counted(owners, 'session'))}</dd>
      ${base === null ? nothing : html`<dt>${words.base}</dt><dd>${progress(base)}</dd>`}
      <dt>${words.table}</dt>
      <dd>${tableLink(info.table)}</dd>
      <dt>${words.created}</dt>
      <dd>${moment(info.createdMs)}${info.creator === undefined ? '' : `, ${info.creator}`}</dd>
    </dl>`;
  }

  operations() {
    const { on } = this;
    const after = () => this.reload();
    return html`<div class="buttons" role="group" aria-label=${texts.actions}>
      <button type="button" id="pause" @click=${() => pause(on, after)}>${texts.operations.pause}</button>
      <button type="button" id="resume" @click=${() => resume(on, after)}>${texts.operations.resume}</button>
      <button type="button" id="seek" @click=${() => seek(on, after)}>${texts.operations.seek}</button>
      <button type="button" id="clone" @click=${() => clone(on, this.tunnel.info, after)}>${texts.operations.clone}</button>
      <button type="button" id="export" @click=${() => exportProgress(on)}>${texts.operations.export}</button>
    </div>`;
  }

  /** @param {Channel[]} channels */
  cells(channels) {
    const owners = [...new Set(channels.flatMap((each) => each.owner ?? []))];
    const tags = new Map(channels.map((each) => [each.owner ?? '', each.clientTag ?? each.owner ?? '']));
    const shown = grid
      .sorted(channels, this.order)
      .filter((each) => this.ownerFilter === '' || each.owner === this.ownerFilter)
      .filter((each) => this.stateFilter === '' || grid.state(each) === this.stateFilter);
    const focus = Math.max(0, shown.findIndex((each) => each.channelId === this.picked));
    const picked = channels.find((each) => each.channelId === this.picked);
    return html`<div class="tools">
        ${this.choice(words.order, 'order', Object.entries(words.orders))}
        ${this.choice(words.onlyState, 'stateFilter', [['', texts.all], ...grid.tally(channels).map(([state]) => /** @type {[string, string]} */ ([state, words.states[state]]))])}
        ${this.choice(words.owner, 'ownerFilter', [['', texts.all], ...owners.map((id) => /** @type {[string, string]} */ ([id, printable(`${tags.get(id)} ${id}`)]))])}
      </div>
      <p class="legend">${words.legend}</p>
      <p class="legend">${words.lags.map((text, step) => html`<span class="tally"><span class="chip lag${step}" aria-hidden="true"></span> ${text}</span> `)}</p>
      <div class="cells ${shown.length > grid.LARGE_CELLS_MAX ? 'small' : ''}" role="group" aria-label=${words.channels} @keydown=${this.steered}>
        ${repeat(shown, (each) => each.channelId, (each, index) => this.cell(each, index === focus))}
      </div>
      ${shown.length === 0 ? empty(words.noneInFilter) : nothing}
      <section class="sheet" id="channel" aria-live="polite" aria-label=${words.channels}>${picked === undefined ? html`<p>${words.pick}</p>` : this.one(picked)}</section>`;
  }

  /**
   * @param {string} label
   * @param {'order' | 'ownerFilter' | 'stateFilter'} member
   * @param {[string, string][]} options
   */
  choice(label, member, options) {
    const changed = /** @param {Event} event */ (event) => {
      this[member] = /** @type {HTMLSelectElement} */ (event.target).value;
      this.requestUpdate();
    };
    return html`<label>${label} <select @change=${changed}>${options.map(([value, text]) => html`<option value=${value} ?selected=${value === this[member]}>${text}</option>`)}</select></label>`;
  }

  /**
   * @param {Channel} each
   * @param {boolean} isFocus whether Tab leads to this cell; arrows lead to the others
   */
  cell(each, isFocus) {
    const state = grid.state(each);
    const pick = () => {
      this.picked = each.channelId;
      this.requestUpdate();
    };
    return html`<button
      type="button"
      class="cell ${state} lag${grid.lagStep(each.lagMs)}"
      tabindex=${isFocus ? 0 : -1}
      aria-pressed=${each.channelId === this.picked}
      aria-label=${cellText(each)}
      title=${cellText(each)}
      @focus=${pick}
      @click=${pick}
    >${grid.letter(state)}</button>`;
  }

  /** @param {KeyboardEvent} event */
  steered(event) {
    const cells = /** @type {HTMLElement[]} */ ([...this.querySelectorAll('.cell')]);
    const index = cells.indexOf(/** @type {HTMLElement} */ (event.target));
    const columns = cells.filter((cell) => cell.offsetTop === cells[0].offsetTop).length;
    const next = grid.moved(event.key, index, cells.length, columns);
    if (index >= 0 && next !== index) {
      event.preventDefault();
      cells[next].focus();
    }
  }

  /** @param {Channel} of */
  one(of) {
    const fields = words.fields;
    const on = { ...this.on, channels: [of.channelId] };
    const after = () => this.reload();
    const rates = this.rates.get(of.channelId) ?? [];
    const facts = [
      [fields.partition, String(of.partition)],
      [fields.type, words.types[of.type ?? 'Stream']],
      [fields.state, `${of.status}, ${words.states[grid.state(of)]}`],
      [fields.owner, of.owner === undefined ? '-' : printable(`${of.clientTag ?? ''} ${of.owner}`)],
      [fields.lag, words.behindText(known(of.lagRows, (rows) => counted(rows, 'row')), known(of.lagBytes, bytes), known(of.lagMs, duration))],
      [fields.history, historyLeft(of.historyLeftMs)],
      [fields.checkpointed, count(of.checkpointed)],
      [fields.delivered, count(of.delivered)],
      [fields.committed, count(of.committed)],
      ...(of.end === undefined ? [] : [[fields.end, count(of.end)]]),
      [fields.epoch, String(of.epoch)],
      ...((of.waitsFor ?? []).length === 0 ? [] : [[fields.waitsFor, (of.waitsFor ?? []).join(', ')]]),
    ];
    return html`<h3>${words.channel(of.channelId)}</h3>
      <dl class="facts">
        ${facts.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}
        <dt>${fields.rate}</dt>
        <dd>${count(rates.at(-1) ?? 0)} ${spark(rates)}</dd>
      </dl>
      ${may(feed.identity, 'read', { table: this.on.table }) ? html`<p>${tailLink(this.on.table, of.partition)}</p>` : nothing}
      ${this.mayDo('operate')
        ? html`<div class="buttons" role="group" aria-label=${texts.actions}>
            <button type="button" @click=${() => pause(on, after)}>${texts.operations.pause}</button>
            <button type="button" @click=${() => resume(on, after)}>${texts.operations.resume}</button>
            ${of.type === 'BaseData' ? nothing : html`<button type="button" @click=${() => seek(on, after)}>${texts.operations.seek}</button>`}
          </div>`
        : nothing}`;
  }

  /** @param {Channel[]} channels */
  troubles(channels) {
    const troubled = channels.filter((each) => each.error !== undefined || each.retry);
    if (troubled.length === 0) {
      return nothing;
    }
    const rows = grid.sorted(troubled, 'lag').slice(0, TROUBLES_SHOWN).map((each) => {
      const at = each.failedAt ?? each.retry?.at;
      const isStopped = each.error !== undefined;
      return [
        each.channelId,
        String(each.partition),
        words.states[grid.state(each)],
        at === undefined ? '-' : words.failedAt(at.position, keyText(at.key), at.changes),
        long(each.error ?? each.retry?.error ?? ''),
        isStopped ? (grid.hasLostHistory(each) ? words.seekIt : words.resumeIt) : html`${words.waitIt} ${retryText(each)}`,
      ];
    });
    return html`<h2 class="bad">${words.troubles}</h2>
      ${table(words.troubles, words.troubleHeadings, rows)}`;
  }

  sessions() {
    /** @type {{ sessionId: string, clientTag: string, channels: number, channelsMax: number, leaseLeftMs: number }[]} */
    const sessions = this.tunnel.sessions ?? [];
    if (sessions.length === 0) {
      return empty(words.noSessions, words.tail(this.on.table));
    }
    const mayEnd = this.mayDo('operate');
    const headings = mayEnd ? words.sessionHeadings : words.sessionHeadings.slice(0, -1);
    return table(
      words.sessions,
      headings,
      sessions.map((each) => [
        each.sessionId,
        printable(each.clientTag),
        count(each.channels),
        each.channelsMax === 0 ? '-' : count(each.channelsMax),
        duration(each.leaseLeftMs),
        ...(mayEnd
          ? [html`<button type="button" aria-label=${texts.operations.endTitle(each.sessionId)} @click=${() => endSession(this.on, each.sessionId, () => this.reload())}>${texts.operations.endSession}</button>`]
          : []),
      ]),
    );
  }

  skipped() {
    const { count: number, last } = this.tunnel.skipped ?? { count: 0, last: [] };
    if (number === 0) {
      return html`<p class="note">${words.noneSkipped}</p>`;
    }
    return html`<p>${words.skippedText(number, last.length)}</p>
      ${table(
        words.skipped,
        words.skippedHeadings,
        [...last].reverse().map((each) => [
          count(each.position),
          String(each.partition),
          words.types[each.type],
          keyText(each.key),
          instant(each.skippedMs),
          long(each.error),
        ]),
      )}`;
  }
}
customElements.define('page-tunnel', TunnelPage);

/** @param {Channel} each */
function cellText(each) {
  return words.cell(
    String(each.partition),
    words.types[each.type ?? 'Stream'],
    words.states[grid.state(each)],
    known(each.lagMs, duration),
    known(each.lagRows, (rows) => counted(rows, 'row')),
    each.owner === undefined ? '-' : printable(each.clientTag ?? each.owner),
  );
}

/** @param {Channel} each */
function retryText({ retry }) {
  return retry === undefined ? '' : words.retrying(retry.attempts, duration(retry.forMs), duration(retry.nextInMs));
}

/** @param {{ rows: number, of: number, isExact: boolean }} base */
function progress({ rows, of, isExact }) {
  const share = of === 0 ? 1 : rows / of;
  const text = words.baseText(count(rows), (isExact ? '' : '~') + count(of), `${(share * 100).toFixed(0)} %`);
  return html`<progress max="1" value=${share} aria-label=${words.base}></progress> ${text}`;
}

/** @param {number[]} rates */
function spark(rates) {
  return html`<svg class="spark" viewBox="0 -2 ${SPARK.width} ${SPARK.height + 4}" aria-hidden="true">
    ${svg`<polyline points=${grid.sparkline(rates, SPARK.width, SPARK.height)}></polyline>`}
  </svg>`;
}
