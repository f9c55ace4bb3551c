// What a page that follows the changes of a partition has shown and where it goes on. It has no clock and asks nobody: page-tail.js does.
import { instant } from './format.js';
import { texts } from './texts.js';

/**
 * @typedef {{ position: number, incarnation: string | null }} Place behind which changes are read; incarnation as the server said it
 * @typedef {{ position: number, atMs: number, kind: string, expired?: boolean, key: Record<string, import('./api.js').Value>,
 *   columns: Record<string, import('./api.js').Value>, removed: string[], omitted: number }} Change
 * @typedef {{ gap: 'lost' | 'left', from: number, to: number }} Gap positions that are not shown: no longer kept, or left out by the viewer
 * @typedef {Change | Gap} Entry
 * @typedef {'following' | 'paused' | 'replaced'} State
 */

/** Changes that a page keeps. */
export const CHANGES_KEPT = 500;

/** Characters of all values and names that a page keeps, beside the newest change. */
export const CHARS_KEPT = 4_000_000;

/** @param {Entry} entry */
export function isGap(entry) {
  return 'gap' in entry;
}

/** @param {Entry} entry */
function chars(entry) {
  return JSON.stringify(entry).length;
}

/**
 * Invariant: every position up to `place` was shown, did not fit the filter, or is said to be missing in an entry. An answer moves the
 * place only if it is the answer to the place of now, and only while the page follows: what comes during a pause is read again later.
 */
export class TailCore {
  constructor() {
    /** @type {State} */
    this.state = 'following';
    /** Null before the server has said where to begin. @type {Place | null} */
    this.place = null;
    /** Newest first. @type {Entry[]} */
    this.entries = [];
    /** Changes that came, also those that are not kept any more. */
    this.seen = 0;
    /** The newest position that the server has said; null before. @type {number | null} */
    this.newest = null;
    this.chars = 0;
  }

  /** Whether the next changes are to be asked for. */
  get isFollowing() {
    return this.state === 'following' && this.place !== null;
  }

  /** Positions up to the newest one that were not read yet; null when it is not known. */
  get behind() {
    return this.newest === null || this.place === null ? null : Math.max(0, this.newest - this.place.position);
  }

  /** Begins anew. @param {Place} place */
  begin(place) {
    this.state = 'following';
    this.place = place;
    this.entries = [];
    this.seen = 0;
    this.chars = 0;
    this.newest = null;
  }

  /**
   * The answer to a request for what is behind `asked`.
   *
   * @param {Place} asked the place at the time of the request
   * @param {{ changes: Change[], next: Place }} answer
   */
  took(asked, answer) {
    if (this.state !== 'following' || this.place !== asked) {
      return;
    }
    this.place = answer.next;
    this.seen += answer.changes.length;
    answer.changes.forEach((change) => this.add(change));
  }

  /** The server said which position is the newest. @param {number} position */
  told(position) {
    this.newest = position;
  }

  /**
   * What was behind `asked` is no longer kept.
   *
   * @param {Place} asked
   * @param {Place} earliest where the changes that are kept begin
   * @returns {boolean} whether the page can go on from there
   */
  lost(asked, earliest) {
    if (this.place !== asked || earliest.position <= asked.position) {
      return this.place !== asked;
    }
    this.skip('lost', earliest);
    return true;
  }

  /** The viewer leaves out what lies before a place. @param {Place} place */
  goTo(place) {
    if (this.place !== null && place.position > this.place.position) {
      this.skip('left', place);
    }
  }

  /**
   * @param {'lost' | 'left'} gap
   * @param {Place} to
   */
  skip(gap, to) {
    const from = (this.place?.position ?? 0) + 1;
    this.place = to;
    this.add({ gap, from, to: to.position });
  }

  /** Positions were given again to other changes: what was shown does not continue. */
  replaced() {
    this.state = 'replaced';
  }

  pause() {
    if (this.state === 'following') {
      this.state = 'paused';
    }
  }

  resume() {
    if (this.state === 'paused') {
      this.state = 'following';
    }
  }

  /** @param {Entry} entry */
  add(entry) {
    this.entries.unshift(entry);
    this.chars += chars(entry);
    while (this.entries.length > CHANGES_KEPT || (this.chars > CHARS_KEPT && this.entries.length > 1)) {
      this.chars -= chars(/** @type {Entry} */ (this.entries.pop()));
    }
  }
}

/**
 * Where a form says to begin.
 *
 * @param {FormData} form
 * @returns {Place | 'earliest' | 'latest' | { timeMs: number }}
 */
export function beginning(form) {
  const from = form.get('from');
  if (from === 'time') {
    const timeMs = new Date(String(form.get('time'))).getTime();
    if (instant(timeMs) === '?') {
      throw new Error(texts.tail.badTime);
    }
    return { timeMs };
  }
  if (from === 'position') {
    if (!/^\d{1,15}$/.test(String(form.get('position')))) {
      throw new Error(texts.tail.badPosition);
    }
    return { position: Math.max(0, Number(form.get('position')) - 1), incarnation: null };
  }
  return from === 'earliest' ? 'earliest' : 'latest';
}
