// All words that the console shows, in one place. Words of the data never pass through here as markup.
import { bytes, count, counted, duration } from './format.js';

/** @param {number} ms */
const ahead = (ms) => `${duration(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'}`;

export const texts = {
  product: 'Tunnel console',
  skip: 'Skip to the content',
  navigation: 'Pages',
  pages: 'Parts of the list',
  overview: 'Overview',
  tables: 'Tables',
  tunnels: 'Tunnels',
  cluster: 'Cluster',
  login: 'Log in',
  logout: 'Log out',
  logoutFailed: 'The log-out failed, and the session is still open. Try again before you leave.',
  loading: 'Loading…',
  again: 'Try again',
  previous: 'Previous',
  next: 'Next',
  first: 'From the start',
  cancel: 'Cancel',
  close: 'Close',
  done: 'Done.',
  showEffect: 'Show the effect',
  sameCommand: 'The same by command:',
  unknown: 'unknown',
  forEver: 'for ever',
  all: 'all',
  actions: 'Operate',
  notFound: 'There is no such page. The pages are listed at the top.',
  /** @param {number} from @param {number} to @param {number} total */
  range: (from, to, total) => `${count(from)} to ${count(to)} of ${count(total)}`,

  /** What errors mean, by code. @type {Record<string, string>} */
  errors: {
    UNREACHABLE: 'The server does not answer. Is it running?',
    NOT_AUTHENTICATED: 'The session has ended. Log in again.',
    NOT_PERMITTED: 'You do not have the right to see this. An administrator grants it with: tunnel security grant',
    TABLE_NOT_FOUND: 'There is no such table. It may have been dropped.',
    TUNNEL_NOT_FOUND: 'There is no such tunnel. It may have been deleted.',
    NOT_LEADER: 'No node leads this for the moment. Try again in some seconds.',
    BUSY: 'The server has as much to do as it accepts. Try again in some seconds.',
    SHUTTING_DOWN: 'The server is stopping.',
    LOG_UNAVAILABLE: 'The log that the nodes share cannot be reached for the moment.',
    OTHER: 'The server refused the request.',
  },

  feed: {
    conditions: { starting: 'connecting…', loggedOut: 'logged out', live: 'live', quiet: 'no live figures', stale: 'no news', lost: 'no answer' },
    /** @param {number} ms */
    stale: (ms) => `No news from the server for ${duration(ms)}. The figures shown are old.`,
    lost: 'The server does not answer. Trying again until it does; the figures shown are old.',
    /** @param {number} ms */
    clock: (ms) =>
      `The server's clock is ${ahead(ms)} the clock of this browser. Times here are the server's; before seeking to a time, set the clocks.`,
  },

  signIn: {
    title: 'Log in',
    text: 'This server asks everybody who they are. Log in with a token. Secrets of keys never belong into a web page.',
    token: 'Token',
    go: 'Log in',
    ended: 'The session has ended. Log in again.',
    /** @param {string} title @param {boolean} isBusy */
    interrupted: (title, isBusy) =>
      `The session ended while “${title}” was open. ${isBusy ? 'It may have been done: look before you do it again.' : 'Nothing of it was done.'}`,
    how: 'An administrator makes a token with:',
    command: 'tunnel security token create NAME',
    refused: 'The token was not accepted. It may be mistyped, expired or revoked.',
  },

  home: {
    health: 'Health',
    written: 'Written',
    delivered: 'Delivered',
    latency: 'Commit to delivery',
    lag: 'Lag of the worst tunnel',
    history: 'History left',
    sessions: 'Sessions',
    connections: 'Connections',
    disk: 'Disk',
    memory: 'Memory',
    cpu: 'CPU',
    /** @param {number} rows */
    rowsPerSecond: (rows) => `${count(rows)} rows/s`,
    /** @param {number} value */
    bytesPerSecond: (value) => `${bytes(value)}/s`,
    /** @param {string} value */
    p99: (value) => `p99 ${value}`,
    /** @param {string} value */
    free: (value) => `${value} free`,
    /** @param {string} value @param {string} max */
    heap: (value, max) => `heap ${value} of ${max}`,
    /** @param {string} value */
    behind: (value) => `${value} changes behind`,
    noTunnels: 'There is no tunnel yet, or none that you may see. A tunnel delivers the changes of a table. Create one with:',
    createTunnel: 'tunnel tunnels create --table TABLE --tunnel NAME --start earliest',
    worst: 'Tunnels furthest behind',
    charts: 'The last hour',
    quiet: 'Live figures need the right read on the cluster. Tables and tunnels that you have rights on are shown on their pages.',
    rowsChart: 'Rows per second',
    bytesChart: 'Bytes per second',
    latencyChart: 'Commit to delivery',
    lagChart: 'Lag of the worst tunnel',
    memoryChart: 'Memory',
    diskChart: 'Disk used',
    /** @type {Record<string, string>} */
    series: {
      writtenRows: 'written',
      deliveredRows: 'delivered',
      writtenBytes: 'written',
      deliveredBytes: 'delivered',
      commitToDeliveryP50Ms: 'p50',
      commitToDeliveryP99Ms: 'p99',
      lagSecondsMax: 'lag',
      heapUsedBytes: 'heap',
      residentBytes: 'resident',
      diskUsedBytes: 'used',
    },
    /** @param {string} title @param {string} latest */
    chartText: (title, latest) => `${title}, chart of the last hour; now: ${latest}`,
  },

  tableList: {
    filter: 'Filter by name',
    none: 'There is no table yet, or none that you may see. Create one with:',
    create: 'tunnel tables create --table orders --key id:INTEGER --partitions 8',
    /** @param {string} filter */
    noMatch: (filter) => `No table has “${filter}” in its name.`,
    caption: 'Tables',
    headings: ['Table', '>Partitions', '>Rows', '>Bytes', '>Skew', 'Retention'],
    /** @param {number} number */
    total: (number) => counted(number, 'table'),
  },

  oneTable: {
    /** @param {string} name */
    title: (name) => `Table ${name}`,
    key: 'Key',
    durability: 'Durability',
    retention: 'Retention of changes',
    created: 'Created',
    rows: 'Rows',
    spread: 'Rows of a partition',
    /** @param {string} min @param {string} mean @param {string} max @param {string} skew */
    spreadText: (min, mean, max, skew) => `min ${min}, mean ${mean}, max ${max}, skew ${skew} (max / mean)`,
    partitions: 'Partitions',
    headings: ['>Id', 'From', 'To', '>Rows', '>Bytes', '>Change bytes', '>First', '>Committed', 'Share of rows'],
    leader: 'Leader',
    changes: 'Changes',
    lowest: '(lowest)',
    highest: '(highest)',
    browse: 'Browse rows',
    from: 'from',
    /** @param {string} column @param {string} type @param {string} edge */
    keyLabel: (column, type, edge) => `${edge} ${column} (${type})`,
    to: 'up to, without',
    show: 'Show rows',
    noRows: 'No row is stored in this range.',
    noRowsAtAll: 'The table has no rows yet. Write one with:',
    /** @param {string} name */
    put: (name) => `tunnel tables put --table ${name} …`,
    browseText: 'Rows come in the order of their keys. Without a key, from the first row on.',
    notPermitted: 'Rows are shown to those with the right read on the table.',
    /** @param {string} length */
    cut: (length) => `… cut, ${length} in all`,
    rowsCaption: 'Rows',
    tunnels: 'Tunnels of this table',
    noTunnels: 'none yet; create one with:',
    /** @param {string} name */
    createTunnel: (name) => `tunnel tunnels create --table ${name} --tunnel NAME --start earliest`,
    alter: 'Change retention',
    alterText: 'Changes older than the retention may be deleted, also those that a tunnel has not delivered yet.',
    age: 'Keep changes for (such as 12h or 7d; 0 for ever)',
    size: 'Keep changes up to (such as 512MiB or 10GiB; 0 for any size)',
    badAge: 'The age is a number and a unit (s, m, h or d), such as 7d, or 0 for ever.',
    badSize: 'The size is a number and a unit (B, KiB, MiB, GiB or TiB), such as 10GiB, or 0 for any size.',
    /** @param {string} before @param {string} after */
    alterPlan: (before, after) => `Retention is ${before}, and would be ${after}.`,
    /** @param {string} after */
    altered: (after) => `Retention is ${after} now.`,
    alterGo: 'Change',
    noChange: 'Neither the age nor the size differs from what the table has: change one of them.',
  },

  tail: {
    link: 'Follow changes',
    /** @param {string} partition */
    linkOf: (partition) => `Follow the changes of partition ${partition}`,
    /** @param {string} partition @param {string} table */
    title: (partition, table) => `Changes of partition ${partition} of table ${table}`,
    text: 'Changes as they come, the newest first. Reading them moves no tunnel and stores nothing.',
    notPermitted: 'Changes are shown to those with the right read on the table.',
    from: 'From',
    starts: {
      latest: 'latest: what comes from now on',
      earliest: 'earliest: the oldest change that is kept',
      time: 'time: the first change at or after a moment',
      position: 'position: the change at a position',
    },
    position: 'Position',
    badPosition: 'A position is a number from 0 on, with at most 15 digits.',
    badTime: 'Pick a moment.',
    /** @param {string} column @param {string} type */
    keyLabel: (column, type) => `Only ${column} (${type})`,
    begin: 'Begin',
    pause: 'Pause',
    resume: 'Resume',
    toNewest: 'Go to the newest',
    /** @type {Record<string, string>} */
    states: { following: 'following', paused: 'paused: the page goes on here when it is resumed', replaced: 'ended' },
    /** @param {number} position @param {number} seen */
    status: (position, seen) => `read up to position ${count(position)}, ${counted(seen, 'change')}`,
    /** @param {number} positions */
    behind: (positions) => `${counted(positions, 'position')} behind the newest`,
    /** @param {number} kept @param {number} seen */
    kept: (kept, seen) => `the last ${count(kept)} of ${counted(seen, 'change')}`,
    none: 'No change has come yet. Changes appear here as they are written.',
    noneOfKey: 'No change of this key has come yet.',
    caption: 'Changes, the newest first',
    headings: ['Time', '>Position', 'Kind', 'Key', 'Columns'],
    /** @type {Record<'lost' | 'left', (from: number, to: number) => string>} */
    gaps: {
      lost: (from, to) => `✖ Positions ${count(from)} to ${count(to)} are lost to this page: their changes are no longer kept.`,
      left: (from, to) => `Positions ${count(from)} to ${count(to)} were left out, as you asked.`,
    },
    replaced: 'Changes that this page has shown were lost at the server, and their positions were given to other changes. Begin again.',
    /** @param {string} name */
    removed: (name) => `−${name}`,
    /** @param {number} columns */
    omitted: (columns) => `… and ${counted(columns, 'column')}`,
    sameOfAllKeys: 'The same for all keys, by command:',
    /** @param {string} table @param {number} partition @param {string} start */
    command: (table, partition, start) => `tunnel tail --table ${table} --partition ${partition} --from ${start} --follow`,
  },

  tunnelList: {
    filter: 'Filter by table or tunnel',
    caption: 'Tunnels',
    headings: ['Tunnel', 'Table', 'Type', 'State', '>Lag', '>Changes behind', '>Channels', '>Sessions', '>History left'],
    /** @param {string} filter */
    noMatch: (filter) => `No tunnel or table has “${filter}” in its name.`,
    /** @param {number} number */
    total: (number) => counted(number, 'tunnel'),
    /** @param {number} number */
    stopped: (number) => `▲ ${number} stopped`,
    /** @param {number} number */
    lost: (number) => `✖ ${number} lost`,
    good: '● running',
    idle: '○ no worker',
    paused: '‖ paused',
  },

  oneTunnel: {
    /** @param {string} tunnel @param {string} table */
    title: (tunnel, table) => `Tunnel ${tunnel} of table ${table}`,
    type: 'Type',
    start: 'Start',
    end: 'End',
    created: 'Created',
    health: 'States',
    behind: 'Behind by',
    held: 'Channels',
    table: 'Table',
    history: 'History left',
    paused: 'PAUSED',
    /** @param {string} channels @param {string} held @param {string} sessions */
    heldText: (channels, held, sessions) => `${channels}, ${held} held by ${sessions}`,
    /** @param {string} changes */
    withoutBase: (changes) => `${changes} changes and base data of unknown size`,
    /** @param {string} rows @param {string} size @param {string} time */
    behindText: (rows, size, time) => `${rows}, ${size}, ${time}`,
    base: 'Base data',
    /** @param {string} rows @param {string} of @param {string} percent */
    baseText: (rows, of, percent) => `${rows} of ${of} rows (${percent})`,
    channels: 'Channels',
    /** @type {Record<string, string>} */
    types: { BaseData: 'base data', Stream: 'changes' },
    order: 'Order',
    orders: { partition: 'by partition', lag: 'worst first' },
    owner: 'Owner',
    onlyState: 'State',
    legend: 'Letters are states, colours are lag. Arrow keys go from cell to cell.',
    /** @type {Record<string, string>} */
    states: {
      stopped: 'stopped',
      lost: 'history lost',
      retrying: 'retrying',
      paused: 'paused',
      free: 'without owner',
      waiting: 'waits for others',
      held: 'held by a worker',
      done: 'finished',
    },
    lags: ['up to 1 s', 'over 1 s', 'over 10 s', 'over 1 min', 'over 10 min', 'over 1 h'],
    noChannels: 'The tunnel has no channels yet. The server makes them when it has found the partitions.',
    noneInFilter: 'No channel fits the filter.',
    /** @param {string} partition @param {string} type @param {string} state @param {string} lag @param {string} rows @param {string} owner */
    cell: (partition, type, state, lag, rows, owner) => `Partition ${partition}, ${type}, ${state}, behind by ${lag} and ${rows}, owner ${owner}`,
    /** @param {string} id */
    channel: (id) => `Channel ${id}`,
    pick: 'Pick a cell to see its channel.',
    fields: {
      partition: 'Partition',
      type: 'Contents',
      state: 'State',
      owner: 'Owner',
      epoch: 'Epoch',
      checkpointed: 'Checkpointed',
      delivered: 'Delivered',
      committed: 'Committed',
      end: 'End',
      lag: 'Behind by',
      history: 'History left',
      waitsFor: 'Waits for',
      rate: 'Checkpointed per second',
    },
    troubles: 'Stopped and retried channels',
    troubleHeadings: ['Channel', '>Partition', 'State', 'At', 'Error', 'What to do'],
    /** @param {number} position @param {string} key @param {number} changes */
    failedAt: (position, key, changes) => `position ${count(position)}, key ${key}${changes > 1 ? `, one of ${count(changes)} changes` : ''}`,
    /** @param {number} attempts @param {string} first @param {string} next */
    retrying: (attempts, first, next) => `attempt ${count(attempts)} failed, the first ${first} ago, the next in ${next}`,
    resumeIt: 'Mend the cause, then resume the channel.',
    seekIt: 'Seek the channel to earliest, then resume it; a resume alone fails again.',
    waitIt: 'The worker tries again by itself.',
    sessions: 'Sessions',
    sessionHeadings: ['Session', 'Worker', '>Channels', '>At most', '>Lease left', 'Operate'],
    noSessions: 'No worker is connected. Channels are delivered to workers of the SDK; look at changes without one with:',
    /** @param {string} table */
    tail: (table) => `tunnel tail --table ${table}`,
    skipped: 'Skipped changes',
    /** @param {number} number @param {number} shown */
    skippedText: (number, shown) => `${counted(number, 'change')} left out by workers${shown < number ? `; the last ${count(shown)}:` : ':'}`,
    skippedHeadings: ['>Position', '>Partition', 'Contents', 'Key', 'Skipped', 'Error'],
    noneSkipped: 'No change was left out.',
  },

  operations: {
    pause: 'Pause',
    resume: 'Resume',
    seek: 'Seek',
    clone: 'Clone',
    export: 'Export',
    endSession: 'End session',
    /** @param {string} what */
    pauseTitle: (what) => `Pause ${what}`,
    pauseText: 'Delivery stops until it is resumed. Workers keep their sessions. History goes on ageing meanwhile.',
    /** @param {string} what */
    paused: (what) => `${what} paused`,
    /** @param {string} what */
    resumeTitle: (what) => `Resume ${what}`,
    resumeText: 'Delivery goes on from the checkpoint. Stopped channels are tried again.',
    /** @param {string} what */
    resumed: (what) => `${what} resumed`,
    /** @param {string} what */
    seekTitle: (what) => `Seek ${what}`,
    seekText:
      'Moves the progress of stream channels back, so that changes are delivered again, or on, so that some are skipped. Workers may run meanwhile.',
    seekTo: 'Move to',
    targets: {
      earliest: 'earliest: the oldest change that is kept',
      latest: 'latest: behind the newest change',
      time: 'time: the first change at or after a moment',
      position: 'position: behind a position of this channel',
    },
    /** @param {string} zone */
    time: (zone) => `Moment (${zone})`,
    position: 'Position',
    badTime: 'Pick a moment.',
    badPosition: 'A position is a number from 0 on, with at most 15 digits.',
    /** @param {string} utc */
    timeIs: (utc) => `The moment is ${utc}.`,
    move: 'Move',
    moveHeadings: ['Channel', '>Partition', 'Type', '>From', '>To', '>Again', '>Skipped'],
    /** @param {ReturnType<typeof import('./grid.js').effects>} effects @param {boolean} isDone */
    total: (effects, isDone) => {
      const subject =
        effects.moving === effects.channels
          ? counted(effects.moving, 'channel')
          : `${count(effects.moving)} of ${counted(effects.channels, 'channel')}`;
      const parts = [
        [effects.changesAgain, 'change', 'delivered again'],
        [effects.rowsAgain, 'row', 'delivered again'],
        [effects.changesSkipped, 'change', 'skipped'],
        [effects.rowsSkipped, 'row', 'skipped'],
      ]
        .filter(([number]) => Number(number) > 0)
        .map(([number, noun, what]) => `${counted(Number(number), String(noun))} ${what}`);
      return `${subject} ${isDone ? 'moved' : 'would move'}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
    },
    /** @param {string} what */
    cloneTitle: (what) => `Clone the progress of ${what}`,
    cloneText: 'Copies the progress to a second tunnel of the table. The progress of the second tunnel is replaced.',
    cloneTo: 'Tunnel whose progress is replaced',
    badClone: 'Name a second tunnel of the table.',
    /** @param {string} target */
    wouldCreate: (target) => `Tunnel ${target} does not exist. It would be created as a copy.`,
    /** @param {string} target */
    mayNotCreate: (target) => `Tunnel ${target} does not exist, and you do not have the right to create it.`,
    /** @param {string} target @param {string} failure @param {string} why @param {string} command */
    leftOver: (target, failure, why, command) =>
      `${failure}. Tunnel ${target} was created for the copy, has not got the progress, and cannot be deleted (${why}). Delete it: ${command}`,
    tooLong: 'The progress of so many channels is too long for the page. Use the command.',
    copy: 'Copy',
    /** @param {string} what */
    exportTitle: (what) => `Export the progress of ${what}`,
    exportText: 'Saves the progress of all channels as a file, for tunnel tunnels import.',
    /** @param {number} channels @param {string} file @param {string} size */
    exportPlan: (channels, file, size) => `The progress of ${counted(channels, 'channel')} would be saved as ${file}, ${size}.`,
    save: 'Save the file',
    /** @param {number} channels @param {string} file */
    exported: (channels, file) => `Progress of ${counted(channels, 'channel')} exported to ${file}`,
    /** @param {string} session */
    endTitle: (session) => `End session ${session}`,
    endText: 'The channels go to the other sessions at once, and late work of this session is fenced. A worker that lives opens a new session.',
    /** @param {string} worker @param {number} channels @param {number} others */
    endPlan: (worker, channels, others) =>
      `Worker ${worker} would lose ${counted(channels, 'channel')}. ${
        others === 0 ? 'No other session is there to take them: they wait for a worker.' : `${counted(others, 'other session')} would take them.`
      }`,
    /** @param {string} session */
    noSession: (session) => `There is no session ${session} any more.`,
    end: 'End',
    /** @param {string} session */
    ended: (session) => `session ${session} ended`,
    /** @param {string} node */
    drainTitle: (node) => `Drain node ${node}`,
    drainText:
      'Other nodes take over its partitions and tunnels, so that it can be stopped without an interruption. It stays empty until it restarts, or until the drain is undone.',
    /** @param {string} node */
    drainPlan: (node, /** @type {number} */ partitions, /** @type {number} */ groups) =>
      `Node ${node} would give up ${counted(partitions, 'partition')} and ${counted(groups, 'group')} of tunnels.`,
    drain: 'Drain',
    /** @param {string} node */
    draining: (node) => `node ${node} gives up what it leads; the list shows when it is empty`,
    /** @param {string} node */
    noOthers: (node) => `no other node takes part that could lead what '${node}' leads`,
    /** @param {string} node */
    undoTitle: (node) => `Let node ${node} take part again`,
    undoText: 'The node may lead and keep replicas again.',
    undo: 'Undo the drain',
    /** @param {string} node */
    undone: (node) => `node ${node} takes part again`,
  },

  nodes: {
    alone: 'This server is alone: it leads all partitions, and keeps their changes on its own disk.',
    aloneHow: 'A cluster of nodes is started with:',
    aloneCommand: 'tunnel demo --nodes 3',
    /** @param {string} name @param {number} generation @param {string} node */
    about: (name, generation, node) => `Cluster ${name}, placement ${generation}, as node ${node} sees it`,
    caption: 'Nodes',
    headings: ['Node', 'Address', 'State', '>Leads', '>Standbys', '>Groups', 'Catalog', '>Lag', 'Operate'],
    /** @type {Record<string, string>} */
    states: { UP: '● up', DRAINING: '◐ draining', DRAINED: '○ drained', NO_ANSWER: '▲ no answer', ASKED: '… asked' },
    /** @param {string} since @param {string} ago */
    gone: (since, ago) => `✖ gone, seen ${since}, ${ago} ago`,
    leadsCatalog: 'leads',
    /** @param {number} now @param {number} all */
    leadsNow: (now, all) => (now === all ? count(all) : `${count(now)} of ${count(all)}`),
    /** @param {number} partition @param {string} node @param {string} role @param {string} why */
    failed: (partition, node, role, why) => `Partition ${partition} on node ${node} is ${role}: ${why}`,
    figures: 'Figures of the nodes',
    figuresText: 'Of all nodes: the sum, or the worst of one node for times, lag, history left, free disk and CPU. Each replica counts the rows that it stores.',
    figureHeadings: ['Node', '>Written rows/s', '>Delivered rows/s', '>p99', '>Lag', '>History left', '>Sessions', '>Disk used', '>Disk free', '>Memory', '>CPU', 'Remark'],
    allNodes: 'all nodes',
    figuresAsked: 'asked, no answer yet',
    /** @param {string} time @param {string} why */
    figuresMissing: (time, why) => `✖ no figures for ${time}: ${why}`,
    decisions: 'Placements and drains since this page was opened',
    noDecisions: 'None yet. They appear here as they happen.',
    decisionHeadings: ['When', 'What'],
    /** @param {number} generation */
    decided: (generation) => `placement ${generation}`,
    /** @param {string} node */
    left: (node) => `node ${node} left`,
    /** @param {string} node */
    joined: (node) => `node ${node} joined`,
    /** @param {string} node @param {string} state */
    became: (node, state) => `node ${node}: ${state}`,
    /** @param {string} node @param {number} before @param {number} after */
    leads: (node, before, after) => `node ${node} leads ${counted(after, 'partition')}, before ${count(before)}`,
    partitions: 'Who leads and replicates',
    partitionHeadings: ['Node', 'Leads partitions', 'Replicates partitions'],
  },
};
