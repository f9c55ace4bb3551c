// The channels of a tunnel as cells: state as shape and letter, lag as a colour of six steps, and where a cell stands.

/**
 * @typedef {{ position: number, key: any, changes: number }} FailedChange
 * @typedef {{ at?: FailedChange, attempts: number, forMs: number, nextInMs: number, error: string }} Retry
 * @typedef {{ channelId: string, partition: number, status: string, owner?: string, clientTag?: string, epoch: number,
 *   checkpointed: number, delivered: number, committed: number, lagRows: number, lagBytes: number, lagMs: number, type?: string,
 *   isPaused?: boolean, end?: number, error?: string, waitsFor?: string[], historyLeftMs?: number, failedAt?: FailedChange,
 *   retry?: Retry }} Channel
 * @typedef {'stopped' | 'lost' | 'retrying' | 'paused' | 'waiting' | 'held' | 'free' | 'done'} State
 */

/** States, worst first, with the letter of a cell. Only "held" is drawn round; trouble is drawn with a corner cut off. */
export const STATES = /** @type {const} */ ([
  ['stopped', '!'],
  ['lost', 'L'],
  ['retrying', 'R'],
  ['paused', 'P'],
  ['free', 'F'],
  ['waiting', 'W'],
  ['held', 'H'],
  ['done', 'D'],
]);

/** Lags in milliseconds at which the next colour begins. */
export const LAG_STEPS_MS = [1000, 10_000, 60_000, 600_000, 3_600_000];

/** More channels than these get small cells. */
export const LARGE_CELLS_MAX = 256;

/**
 * @param {Channel} channel
 * @returns {boolean}
 */
export function hasLostHistory(channel) {
  return (channel.historyLeftMs ?? 0) < 0 || (channel.error ?? '').startsWith('HISTORY_LOST');
}

/**
 * The one word that matters most to an operator.
 *
 * @param {Channel} channel
 * @returns {State}
 */
export function state(channel) {
  if (hasLostHistory(channel)) {
    return 'lost';
  }
  if (channel.error !== undefined) {
    return 'stopped';
  }
  if (channel.status === 'TERMINATED') {
    return 'done';
  }
  if (channel.isPaused) {
    return 'paused';
  }
  if (channel.retry) {
    return 'retrying';
  }
  if (channel.owner !== undefined) {
    return 'held';
  }
  return (channel.waitsFor ?? []).length > 0 ? 'waiting' : 'free';
}

/** @param {State} name */
export function letter(name) {
  return STATES.find(([each]) => each === name)?.[1] ?? '?';
}

/**
 * The step of the colour scale, 0 (at most a second) to 5 (over an hour); -1 for an unknown lag.
 *
 * @param {number} lagMs
 */
export function lagStep(lagMs) {
  return lagMs < 0 ? -1 : LAG_STEPS_MS.filter((step) => lagMs > step).length;
}

/**
 * How many channels are in each state, worst first; states without channels are left out.
 *
 * @param {Channel[]} channels
 * @returns {[State, number][]}
 */
export function tally(channels) {
  return STATES.map(([name]) => /** @type {[State, number]} */ ([name, channels.filter((each) => state(each) === name).length]))
    .filter(([, number]) => number > 0);
}

/**
 * The channels in the order to show.
 *
 * @param {Channel[]} channels
 * @param {string} order "partition" or "lag"
 */
export function sorted(channels, order) {
  const worst = /** @param {Channel} each */ (each) => STATES.findIndex(([name]) => name === state(each));
  return order === 'lag'
    ? [...channels].sort((a, b) => Math.min(worst(a), 3) - Math.min(worst(b), 3) || b.lagMs - a.lagMs || b.lagRows - a.lagRows)
    : channels;
}

/**
 * The index of the cell that an arrow key leads to.
 *
 * @param {string} key as KeyboardEvent.key
 * @param {number} index
 * @param {number} size number of cells
 * @param {number} columns cells in a row
 * @returns {number} the index itself for any other key
 */
export function moved(key, index, size, columns) {
  const target = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index - columns,
    ArrowDown: index + columns,
    Home: 0,
    End: size - 1,
  }[key];
  return target === undefined || target < 0 || target >= size ? index : target;
}

/**
 * Points of a sparkline in a box.
 *
 * @param {number[]} values
 * @param {number} width
 * @param {number} height
 */
export function sparkline(values, width, height) {
  const top = Math.max(...values, 1);
  return values
    .map((value, index) => `${((index * width) / Math.max(1, values.length - 1)).toFixed(1)},${(height - (value * height) / top).toFixed(1)}`)
    .join(' ');
}

/**
 * The totals of a tunnel as the command line counts them; -1 for what no node knows. Changes are of stream channels alone: rows of
 * base channels may be unknown while the changes are known.
 *
 * @param {Channel[]} channels
 */
export function totals(channels) {
  const sum = /** @param {(channel: Channel) => number} of */ (of, some = channels) =>
    some.some((each) => of(each) < 0) ? -1 : some.reduce((total, each) => total + of(each), 0);
  return {
    changes: sum((each) => each.lagRows, channels.filter((each) => each.type !== 'BaseData')),
    rows: sum((each) => each.lagRows),
    bytes: sum((each) => each.lagBytes),
    ms: channels.some((each) => each.lagMs < 0) ? -1 : Math.max(0, ...channels.map((each) => each.lagMs)),
    held: channels.filter((each) => each.owner !== undefined).length,
    owners: new Set(channels.flatMap((each) => each.owner ?? [])).size,
  };
}

/**
 * The progress of base data; null without base channels.
 *
 * @param {Channel[]} channels
 */
export function baseProgress(channels) {
  const base = channels.filter((each) => each.type === 'BaseData');
  if (base.length === 0) {
    return null;
  }
  return {
    rows: base.reduce((total, each) => total + each.checkpointed, 0),
    of: base.reduce((total, each) => total + Math.max(each.end ?? each.committed, each.checkpointed), 0),
    isExact: base.every((each) => each.end !== undefined),
    isDone: base.every((each) => each.status === 'TERMINATED'),
  };
}

/**
 * What a seek does, as the command line says it.
 *
 * @typedef {{ channelId: string, partition: number, type: string, from: number, to: number }} Move
 * @param {Move[]} moves
 */
export function effects(moves) {
  const sum = /** @param {string} type @param {number} sign */ (type, sign) =>
    moves.filter((move) => move.type === type).reduce((total, move) => total + Math.max(0, sign * (move.to - move.from)), 0);
  return {
    moving: moves.filter((move) => move.from !== move.to).length,
    channels: moves.length,
    changesAgain: sum('Stream', -1),
    rowsAgain: sum('BaseData', -1),
    changesSkipped: sum('Stream', 1),
    rowsSkipped: sum('BaseData', 1),
  };
}

/**
 * How evenly rows are spread, as the command line counts it.
 *
 * @param {number[]} rows
 */
export function spread(rows) {
  const total = rows.reduce((sum, each) => sum + each, 0);
  const mean = rows.length === 0 ? 0 : total / rows.length;
  const max = Math.max(0, ...rows);
  return { total, min: rows.length === 0 ? 0 : Math.min(...rows), mean, max, skew: mean === 0 ? 0 : max / mean };
}
