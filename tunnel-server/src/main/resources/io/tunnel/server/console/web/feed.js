// The state that all pages share: who looks, and the feed of snapshots, of which a window has one, however many pages look at it.
import * as api from './api.js';
import { subscribe } from './source.js';

/**
 * @typedef {Record<string, number | string | null | undefined>} Figures
 * @typedef {{ table: string, tunnel: string, lagSeconds: number | null, lagChanges: number | null, channels: number, stopped: number,
 *   lost: number, sessions: number, historyLeftSeconds: number | null }} TunnelFigures
 * @typedef {{ atMs: number, node: string | null, health: Record<string, unknown>, figures: Figures, all?: Figures,
 *   nodes?: import('./nodes.js').NodeFigures[], tunnels: TunnelFigures[] }} Snapshot figures: of the answering node; all: of all nodes together
 * @typedef {'starting' | 'loggedOut' | 'live' | 'quiet' | 'stale' | 'lost'} Condition
 */

/** A feed that says nothing for so long is stale: a snapshot comes each second. */
export const STALE_MS = 5_000;

/** Clocks that differ by more are spoken of. */
export const CLOCK_DIFFERENCE_MS_MAX = 30_000;

const RETRY_MS = 2_000;
const HISTORY_MS = 3_600_000;

/** Names of figures that charts show, each a list of values beside the list of moments. */
export const SERIES = [
  'writtenRows',
  'deliveredRows',
  'writtenBytes',
  'deliveredBytes',
  'commitToDeliveryP50Ms',
  'commitToDeliveryP99Ms',
  'lagSecondsMax',
  'heapUsedBytes',
  'residentBytes',
  'diskUsedBytes',
];

/** Says "change" when anything of it changed. */
class Feed extends EventTarget {
  constructor() {
    super();
    /** @type {api.Me | null} */
    this.me = null;
    /** @type {import('./rights.js').Identity | null} */
    this.identity = null;
    /** @type {Condition} "quiet": who looks may not read the figures of the cluster */
    this.condition = 'starting';
    /** @type {Snapshot | null} */
    this.snapshot = null;
    /** When the last snapshot came, by the browser's clock. */
    this.arrivedMs = 0;
    /** Seconds since 1970. @type {number[]} */
    this.moments = [];
    /** @type {Record<string, (number | null)[]>} */
    this.series = {};
    /** Whether a session has ended that was there before. */
    this.hadSession = false;
    /** What was open when the session ended, and whether it may have been done. @type {{ title: string, isBusy: boolean } | null} */
    this.interrupted = null;
    /** @type {{ close: () => void } | null} */
    this.source = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.retry = undefined;
    setInterval(() => this.watch(), 1_000);
    document.addEventListener('visibilitychange', () => this.shown());
  }

  changed() {
    this.dispatchEvent(new Event('change'));
  }

  /** Milliseconds that the server's clock is ahead of the browser's; 0 before the first snapshot. */
  get aheadMs() {
    return this.snapshot === null ? 0 : this.snapshot.atMs - this.arrivedMs;
  }

  /** Finds out who looks, and listens. Tries again until the server answers. */
  async start() {
    clearTimeout(this.retry);
    try {
      await this.began(await api.me());
    } catch (e) {
      this.failed(e);
    }
  }

  /** @param {api.Me} me */
  async began(me) {
    const identity = await api.ask('WHO_AM_I');
    this.identity = identity;
    this.me = me;
    this.hadSession = true;
    this.interrupted = null;
    if (me.mayReadCluster) {
      await this.recall();
      this.listen();
    } else {
      this.condition = 'quiet';
    }
    this.changed();
  }

  /** @param {unknown} e */
  failed(e) {
    if (e instanceof api.Refused && e.status === 401) {
      this.end();
      return;
    }
    this.condition = 'lost';
    this.retry = setTimeout(() => this.start(), RETRY_MS);
    this.changed();
  }

  /** The session is over: only the log-in is left to show. */
  end() {
    this.close();
    this.me = null;
    this.identity = null;
    this.snapshot = null;
    this.moments = [];
    this.series = {};
    this.condition = 'loggedOut';
    this.changed();
  }

  /**
   * Ends the session. One that could not be ended stays: who goes away believing that it ended would leave it to others.
   *
   * @returns {Promise<string>} why it is still there; empty when it has ended
   */
  async logOut() {
    try {
      await api.logout();
      this.hadSession = false;
    } catch (e) {
      if (!(e instanceof api.Refused) || e.status !== 401) {
        return e instanceof api.Refused ? `${e.code}: ${e.message}` : String(e);
      }
    }
    this.end();
    return '';
  }

  close() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  /**
   * Only a page that somebody sees listens, so that nothing is made for nobody. A page that is seen again also gets the charts that it
   * missed.
   */
  shown() {
    if (document.hidden && this.source !== null) {
      this.close();
      this.condition = 'starting';
      this.changed();
    } else if (!document.hidden && this.condition === 'starting') {
      this.start();
    }
  }

  /** Fills the charts with the hour that the server remembers. */
  async recall() {
    const { stepMs, endMs, series } = await api.history();
    const length = Math.max(0, ...SERIES.map((name) => series[name]?.length ?? 0));
    this.moments = Array.from({ length }, (_, index) => (endMs - (length - 1 - index) * stepMs) / 1000);
    this.series = Object.fromEntries(SERIES.map((name) => [name, series[name] ?? Array(length).fill(null)]));
  }

  listen() {
    this.close();
    if (document.hidden) {
      this.condition = 'starting';
      return;
    }
    this.source = subscribe(
      this.me?.version ?? '',
      (snapshot) => this.add(JSON.parse(snapshot)),
      () => {
        this.close();
        this.failed(null);
      },
    );
  }

  /** @param {Snapshot} snapshot */
  add(snapshot) {
    this.snapshot = snapshot;
    this.arrivedMs = Date.now();
    this.condition = 'live';
    const seconds = snapshot.atMs / 1000;
    if (seconds > (this.moments.at(-1) ?? 0)) {
      this.moments.push(seconds);
      for (const name of SERIES) {
        const value = snapshot.figures[name];
        (this.series[name] ??= []).push(typeof value === 'number' ? value : null);
      }
      const old = this.moments.findIndex((each) => each >= seconds - HISTORY_MS / 1000);
      this.moments.splice(0, old);
      SERIES.forEach((name) => this.series[name].splice(0, old));
    }
    this.changed();
  }

  watch() {
    if (this.condition === 'live' && Date.now() - this.arrivedMs > STALE_MS) {
      this.condition = 'stale';
    }
    if (this.condition === 'stale') {
      this.changed();
    }
  }
}

export const feed = new Feed();
