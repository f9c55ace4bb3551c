// What an operator can do to a tunnel, with the dry run and the confirmation of the command line (io.tunnel.cli.tunnels).
import { html, nothing } from './lib.js';
import { operate, table } from './parts.js';
import { BODY_BYTES_MAX, Refused, ask, askText } from './api.js';
import { feed } from './feed.js';
import { texts } from './texts.js';
import { may } from './rights.js';
import { bytes, count, instant, localInput, printable } from './format.js';
import { effects } from './grid.js';

const words = texts.operations;
const MOVES_SHOWN = 200;

/**
 * @typedef {{ table: string, tunnel: string, channels: string[] }} Selection channels: ids, none for the whole tunnel
 */

/** @param {Selection} on */
function named(on) {
  return on.channels.length === 0 ? `tunnel ${on.tunnel} of table ${on.table}` : `channel ${on.channels.join(', ')} of tunnel ${on.tunnel}`;
}

/**
 * @param {string} name
 * @param {Selection} on
 */
function command(name, on) {
  return `tunnel tunnels ${name} --table ${on.table} --tunnel ${on.tunnel}${on.channels.map((id) => ` --channel ${id}`).join('')}`;
}

/**
 * @param {Selection} on
 * @param {() => void} after
 */
export function pause(on, after) {
  operate(
    {
      title: words.pauseTitle(named(on)),
      text: words.pauseText,
      verb: words.pause,
      command: () => command('pause', on),
      act: async () => {
        await ask('PAUSE', on);
        return words.paused(named(on));
      },
    },
    after,
  );
}

/**
 * @param {Selection} on
 * @param {() => void} after
 */
export function resume(on, after) {
  operate(
    {
      title: words.resumeTitle(named(on)),
      text: words.resumeText,
      verb: words.resume,
      command: () => command('resume', on),
      act: async () => {
        await ask('RESUME', on);
        return words.resumed(named(on));
      },
    },
    after,
  );
}

/**
 * @param {import('./grid.js').Move[]} moves
 * @param {boolean} isDone
 */
function report(moves, isDone) {
  const rows = moves.slice(0, MOVES_SHOWN).map((move) => [
    move.channelId,
    String(move.partition),
    move.type,
    count(move.from),
    count(move.to),
    count(Math.max(0, move.from - move.to)),
    count(Math.max(0, move.to - move.from)),
  ]);
  return html`<p><strong>${words.total(effects(moves), isDone)}</strong></p>
    ${isDone ? nothing : table(words.seek, words.moveHeadings, rows)}`;
}

/**
 * The member of a Seek that says where to.
 *
 * @param {FormData} form
 */
function target(form) {
  const to = String(form.get('to'));
  if (to === 'time') {
    const timeMs = new Date(String(form.get('time'))).getTime();
    if (Number.isNaN(timeMs)) {
      throw new Error(words.badTime);
    }
    return { timeMs };
  }
  if (to === 'position') {
    if (!/^\d{1,15}$/.test(String(form.get('position')))) {
      throw new Error(words.badPosition);
    }
    return { position: Number(form.get('position')) };
  }
  return { edge: to === 'latest' ? 'LATEST' : 'EARLIEST' };
}

/**
 * Where to, as the command line reads it.
 *
 * @param {FormData} form
 */
function moment(form) {
  const to = String(form.get('to') ?? 'earliest');
  const ms = new Date(String(form.get('time'))).getTime();
  if (to === 'time') {
    return Number.isNaN(ms) ? 'TIME' : instant(ms);
  }
  return to === 'position' ? `position:${form.get('position') || 'N'}` : to;
}

/**
 * @param {FormData} form
 * @param {boolean} isOne whether a single channel is moved
 */
function seekFields(form, isOne) {
  const to = form.get('to') ?? 'earliest';
  const targets = Object.entries(words.targets).filter(([name]) => name !== 'position' || isOne);
  const picked = new Date(String(form.get('time') ?? '')).getTime();
  return html`<label>${words.seekTo}
      <select name="to">${targets.map(([name, text]) => html`<option value=${name}>${text}</option>`)}</select>
    </label>
    ${to === 'time'
      ? html`<label>${words.time(Intl.DateTimeFormat().resolvedOptions().timeZone)} <input type="datetime-local" step="1" name="time" max=${localInput(Date.now() + feed.aheadMs)} required /></label>
          ${Number.isNaN(picked) ? nothing : html`<p>${words.timeIs(instant(picked))}</p>`}`
      : nothing}
    ${to === 'position' ? html`<label>${words.position} <input name="position" inputmode="numeric" required /></label>` : nothing}`;
}

/**
 * @param {Selection} on
 * @param {() => void} after
 */
export function seek(on, after) {
  const move = /** @param {FormData} form @param {boolean} isDryRun */ async (form, isDryRun) => {
    const answer = await ask('SEEK', { ...on, ...target(form), isDryRun });
    return report(answer.moves, !isDryRun);
  };
  operate(
    {
      title: words.seekTitle(named(on)),
      text: words.seekText,
      verb: words.move,
      command: (form) => `${command('seek', on)} --to ${moment(form)}`,
      fields: (form) => seekFields(form, on.channels.length === 1),
      plan: (form) => move(form, true),
      act: (form) => move(form, false),
    },
    after,
  );
}

/**
 * A Seek to exported progress. The export goes back as it came: its numbers have 64 bits.
 *
 * @param {string} of
 * @param {string} tunnel
 * @param {string} checkpoints JSON
 * @param {boolean} isDryRun
 */
function seekTo(of, tunnel, checkpoints, isDryRun) {
  const start = JSON.stringify({ table: of, tunnel, isDryRun });
  const payload = `${start.slice(0, -1)},"checkpoints":${checkpoints}}`;
  if (new TextEncoder().encode(payload).length > BODY_BYTES_MAX) {
    throw new Error(words.tooLong);
  }
  return async () => report(JSON.parse(await askText('SEEK', payload)).moves, !isDryRun);
}

/**
 * @param {Selection} on
 * @param {{ type: string, start: string, startMs?: number, endMs?: number }} info of the tunnel
 * @param {() => void} after
 */
export function clone(on, info, after) {
  const name = /** @param {FormData} form */ (form) => {
    const to = String(form.get('target') ?? '').trim();
    if (to === '' || to === on.tunnel) {
      throw new Error(words.badClone);
    }
    return to;
  };
  /** What each plan showed: the progress, and whether the target was there. @type {WeakMap<FormData, { checkpoints: string, isThere: boolean }>} */
  const shown = new WeakMap();
  const plan = /** @param {FormData} form */ async (form) => {
    const to = name(form);
    const checkpoints = await askText('EXPORT_CHECKPOINTS', JSON.stringify({ table: on.table, tunnel: on.tunnel }));
    const isThere = await exists(on.table, to);
    shown.set(form, { checkpoints, isThere });
    if (isThere) {
      return seekTo(on.table, to, checkpoints, true)();
    }
    if (!may(feed.identity, 'create', { table: on.table, tunnel: to })) {
      throw new Error(words.mayNotCreate(to));
    }
    return words.wouldCreate(to);
  };
  const act = /** @param {FormData} form */ async (form) => {
    const to = name(form);
    const { checkpoints, isThere } = /** @type {{ checkpoints: string, isThere: boolean }} */ (shown.get(form));
    const move = seekTo(on.table, to, checkpoints, false);
    if (isThere) {
      return move();
    }
    const { type, start, startMs, endMs } = info;
    await ask('CREATE_TUNNEL', { table: on.table, tunnel: to, type, start, startMs, endMs });
    try {
      return await move();
    } catch (e) {
      await takeAway(on.table, to, e);
      throw e;
    }
  };
  operate(
    {
      title: words.cloneTitle(named(on)),
      text: words.cloneText,
      verb: words.copy,
      command: (form) => `${command('clone', on)} --to-tunnel ${form.get('target') || 'TUNNEL'} --create`,
      fields: () => html`<label>${words.cloneTo} <input name="target" required autocomplete="off" spellcheck="false" /></label>`,
      plan,
      act,
    },
    after,
  );
}

/**
 * Deletes a tunnel that was created for a copy and whose Seek failed, or has an unknown outcome. No operation of the server does both,
 * so a page that is closed between the two requests leaves the tunnel.
 *
 * @param {string} of
 * @param {string} tunnel
 * @param {unknown} failure of the Seek
 */
async function takeAway(of, tunnel, failure) {
  const described = /** @param {unknown} e */ (e) => (e instanceof Refused ? `${e.code}: ${e.message}` : String(e));
  try {
    await ask('DELETE_TUNNEL', { table: of, tunnel });
  } catch (e) {
    throw new Error(words.leftOver(tunnel, described(failure), described(e), command('delete', { table: of, tunnel, channels: [] })));
  }
}

/**
 * @param {string} of
 * @param {string} tunnel
 */
async function exists(of, tunnel) {
  /** @type {{ tunnel: string }[]} */
  const tunnels = (await ask('LIST_TUNNELS', { table: of })).tunnels;
  return tunnels.some((each) => each.tunnel === tunnel);
}

/** @param {Selection} on */
export function exportProgress(on) {
  const file = `${on.table}-${on.tunnel}.json`;
  /** The file that was shown is the file that is saved. */
  let text = '';
  const channels = () => JSON.parse(text).checkpoints.channels.length;
  operate(
    {
      title: words.exportTitle(named(on)),
      text: words.exportText,
      verb: words.save,
      command: () => `${command('export', on)} --out ${file}`,
      plan: async () => {
        const checkpoints = await askText('EXPORT_CHECKPOINTS', JSON.stringify({ table: on.table, tunnel: on.tunnel }));
        text = `{"format":"tunnel-checkpoints","version":1,"exportedMs":${Date.now()},"checkpoints":${checkpoints}}\n`;
        return words.exportPlan(channels(), file, bytes(text.length));
      },
      act: async () => {
        save(file, text);
        return words.exported(channels(), file);
      },
    },
    () => {},
  );
}

/**
 * @param {string} file
 * @param {string} text
 */
function save(file, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * @param {Selection} on
 * @param {string} sessionId
 * @param {() => void} after
 */
export function endSession(on, sessionId, after) {
  operate(
    {
      title: words.endTitle(sessionId),
      text: words.endText,
      verb: words.end,
      command: () => `${command('end-session', { ...on, channels: [] })} --session ${sessionId}`,
      plan: async () => {
        /** @type {{ sessions: { sessionId: string, clientTag: string, channels: number }[] }} */
        const { sessions } = await ask('DESCRIBE_TUNNEL', { table: on.table, tunnel: on.tunnel });
        const ended = sessions.find((each) => each.sessionId === sessionId);
        if (ended === undefined) {
          throw new Error(words.noSession(sessionId));
        }
        return words.endPlan(printable(ended.clientTag), ended.channels, sessions.length - 1);
      },
      act: async () => {
        await ask('END_SESSION', { table: on.table, tunnel: on.tunnel, sessionId });
        return words.ended(sessionId);
      },
    },
    after,
  );
}

/**
 * Drains a node, or lets it take part again.
 *
 * @param {{ name: string, leads: number[], tunnelGroups: number, isDraining: boolean }} node
 * @param {boolean} hasOthers whether another node takes part
 * @param {() => void} after
 */
export function drain(node, hasOthers, after) {
  const isDraining = !node.isDraining;
  operate(
    {
      title: isDraining ? words.drainTitle(node.name) : words.undoTitle(node.name),
      text: isDraining ? words.drainText : words.undoText,
      verb: isDraining ? words.drain : words.undo,
      command: () => `tunnel cluster drain ${node.name}${isDraining ? '' : ' --undo'}`,
      plan: isDraining
        ? async () => {
            if (!hasOthers) {
              throw new Error(words.noOthers(node.name));
            }
            return words.drainPlan(node.name, node.leads.length, node.tunnelGroups);
          }
        : undefined,
      act: async () => {
        await ask('DRAIN_NODE', { isDraining }, node.name);
        return isDraining ? words.draining(node.name) : words.undone(node.name);
      },
    },
    after,
  );
}
