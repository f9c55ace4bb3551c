// The nodes of the cluster: who is there and who is missing, who leads and replicates, and decisions as they happen.
import { html, nothing } from './lib.js';
import { Page, empty, moment, table } from './parts.js';
import { Refused, ask, fewAtATime } from './api.js';
import { feed } from './feed.js';
import { texts } from './texts.js';
import { may } from './rights.js';
import { count, duration, instant, printable } from './format.js';
import { drain } from './operations.js';
import { nodeRow, nodeTrouble } from './nodes.js';

/**
 * @typedef {{ name: string, incarnation: string, address: string, isDraining: boolean, leads: number[], standbys: number[],
 *   tunnelGroups: number, isCatalogLeader: boolean }} Node
 * @typedef {{ name: string, generation: number, node: string, nodes: Node[],
 *   gone?: { name: string, address: string, lastSeenMs: number }[] }} Cluster
 * @typedef {{ replicas: { partition: number, role: string, epoch: number, next: number, end: number, error?: string }[] } | Refused} Status
 */

const words = texts.nodes;
const REFRESH_MS = 2_000;
const DECISIONS_KEPT = 100;
const PARTITIONS_SHOWN = 60;
const FAILURES_SHOWN = 20;

class ClusterPage extends Page {
  constructor() {
    super();
    this.everyMs = REFRESH_MS;
    /** @type {Cluster | null} */
    this.cluster = null;
    /** @type {Map<string, Status>} */
    this.status = new Map();
    /** Newest first. @type {{ atMs: number, text: string }[]} */
    this.decisions = [];
  }

  get isAlone() {
    return feed.me?.cluster === false;
  }

  async load() {
    if (this.isAlone) {
      return;
    }
    /** @type {Cluster} */
    const cluster = await ask('DESCRIBE_CLUSTER');
    const before = this.cluster;
    this.cluster = cluster;
    this.requestUpdate();
    const states = new Map((before?.nodes ?? []).map((node) => [node.name, this.state(node)]));
    await fewAtATime(
      cluster.nodes,
      (node) => /** @type {Promise<Status>} */ (ask('DESCRIBE_NODE', { part: 'REPLICAS' }, node.name)),
      (node, answer) => this.status.set(node.name, answer),
    );
    if (before !== null) {
      this.note(before, cluster, states);
    }
  }

  /**
   * Writes down what changed.
   *
   * @param {Cluster} before
   * @param {Cluster} after
   * @param {Map<string, string>} states of the nodes before
   */
  note(before, after, states) {
    const old = new Map(before.nodes.map((node) => [node.name, node]));
    const lines = [];
    if (after.generation !== before.generation) {
      lines.push(words.decided(after.generation));
    }
    for (const node of after.nodes) {
      const last = old.get(node.name);
      if (last === undefined) {
        lines.push(words.joined(node.name));
        continue;
      }
      if (last.leads.length !== node.leads.length) {
        lines.push(words.leads(node.name, last.leads.length, node.leads.length));
      }
      const state = this.state(node);
      const was = states.get(node.name);
      if (was !== undefined && was !== state && was !== 'ASKED') {
        lines.push(words.became(node.name, words.states[state]));
      }
    }
    before.nodes.filter((node) => after.nodes.every((each) => each.name !== node.name)).forEach((node) => lines.push(words.left(node.name)));
    const atMs = Date.now() + feed.aheadMs;
    this.decisions = [...lines.map((text) => ({ atMs, text })), ...this.decisions].slice(0, DECISIONS_KEPT);
  }

  /** @param {string} name */
  replicas(name) {
    const status = this.status.get(name);
    return status === undefined || status instanceof Refused ? null : status.replicas;
  }

  /** Partitions that the node is to lead and does not lead; none of a node that does not answer. @param {Node} node */
  notLed(node) {
    const replicas = this.replicas(node.name);
    return replicas === null
      ? []
      : node.leads.filter((partition) => !replicas.some((each) => each.partition === partition && each.role === 'LEADING'));
  }

  /** A line for each replica that serves nothing. @param {Cluster} cluster */
  failures(cluster) {
    const lines = cluster.nodes.flatMap((node) =>
      (this.replicas(node.name) ?? [])
        .filter((each) => each.error !== undefined)
        .map((each) => words.failed(each.partition, node.name, each.role, printable(each.error ?? ''))),
    );
    return lines.length === 0
      ? nothing
      : html`<ul class="note bad">${lines.slice(0, FAILURES_SHOWN).map((line) => html`<li>${line}</li>`)}</ul>`;
  }

  /** The state of a node, as the command line tells it. @param {Node} node */
  state(node) {
    if (!this.status.has(node.name)) {
      return 'ASKED';
    }
    const replicas = this.replicas(node.name);
    if (replicas === null) {
      return 'NO_ANSWER';
    }
    if (!node.isDraining) {
      return 'UP';
    }
    const led = replicas.filter((each) => !['FOLLOWING', 'FAILED', 'OUTDATED'].includes(each.role)).length;
    return Math.max(led, node.leads.length) === 0 && node.tunnelGroups === 0 && !node.isCatalogLeader ? 'DRAINED' : 'DRAINING';
  }

  render() {
    return html`<h1 tabindex="-1">${texts.cluster}</h1>
      ${this.isAlone
        ? html`<p class="note">${words.alone}</p>${empty(words.aloneHow, words.aloneCommand)}`
        : html`${this.trouble(this.cluster !== null)} ${this.cluster === null ? nothing : this.content(this.cluster)}`}`;
  }

  /** @param {Cluster} cluster */
  content(cluster) {
    return html`<p>${words.about(cluster.name, cluster.generation, cluster.node)}</p>
      ${this.nodes(cluster)} ${this.failures(cluster)} ${this.figures()}
      <h2>${words.partitions}</h2>
      ${table(
        words.partitions,
        words.partitionHeadings,
        cluster.nodes.map((node) => [node.name, some(node.leads), some(node.standbys)]),
      )}
      <h2>${words.decisions}</h2>
      <div aria-live="polite">
        ${this.decisions.length === 0
          ? html`<p class="note">${words.noDecisions}</p>`
          : table(words.decisions, words.decisionHeadings, this.decisions.map((each) => [moment(each.atMs), each.text]))}
      </div>`;
  }

  /** @param {Cluster} cluster */
  nodes(cluster) {
    const mayDrain = may(feed.identity, 'admin', {});
    const there = cluster.nodes.map((node) => {
      const replicas = this.replicas(node.name);
      return [
        node.name,
        node.address,
        words.states[this.state(node)],
        words.leadsNow(node.leads.length - this.notLed(node).length, node.leads.length),
        count(node.standbys.length),
        count(node.tunnelGroups),
        node.isCatalogLeader ? words.leadsCatalog : '',
        replicas === null ? '?' : count(replicas.reduce((sum, each) => sum + Math.max(0, each.end - each.next), 0)),
        ...(mayDrain ? [this.drainButton(cluster, node)] : []),
      ];
    });
    const gone = (cluster.gone ?? []).map((node) => {
      const agoMs = Date.now() + feed.aheadMs - node.lastSeenMs;
      return [node.name, node.address, html`<span class="bad">${words.gone(instant(node.lastSeenMs), duration(Math.max(0, agoMs)))}</span>`, '-', '-', '-', '', '?', ...(mayDrain ? [''] : [])];
    });
    return table(words.caption, mayDrain ? words.headings : words.headings.slice(0, -1), [...there, ...gone]);
  }

  /** The figures of each node and of all together, each second anew. */
  figures() {
    const { nodes = [], all = null, atMs = 0 } = feed.snapshot ?? {};
    if (nodes.length === 0 || all === null) {
      return nothing;
    }
    const rows = nodes.map((node) => {
      const trouble = nodeTrouble(node, atMs);
      return [node.name, ...nodeRow(node.figures ?? {}), html`<span class="bad">${printable(trouble)}</span>`];
    });
    return html`<h2>${words.figures}</h2>
      <p class="legend">${words.figuresText}</p>
      ${table(words.figures, words.figureHeadings, [[words.allNodes, ...nodeRow(all), ''], ...rows])}`;
  }

  /**
   * @param {Cluster} cluster
   * @param {Node} node
   */
  drainButton(cluster, node) {
    const hasOthers = cluster.nodes.some((each) => each.name !== node.name && !each.isDraining);
    const title = node.isDraining ? texts.operations.undoTitle(node.name) : texts.operations.drainTitle(node.name);
    return html`<button type="button" aria-label=${title} @click=${() => drain(node, hasOthers, () => this.reload())}>
      ${node.isDraining ? texts.operations.undo : texts.operations.drain}
    </button>`;
  }
}
customElements.define('page-cluster', ClusterPage);

/**
 * Ids of partitions as ranges: "1 to 8, 12".
 *
 * @param {number[]} ids
 */
function some(ids) {
  const sorted = [...ids].sort((a, b) => a - b);
  const ranges = sorted.reduce((all, id) => {
    const last = all.at(-1);
    if (last !== undefined && id === last[1] + 1) {
      last[1] = id;
    } else {
      all.push([id, id]);
    }
    return all;
  }, /** @type {[number, number][]} */ ([]));
  const shown = ranges.slice(0, PARTITIONS_SHOWN).map(([from, to]) => (from === to ? String(from) : `${from} to ${to}`));
  return ids.length === 0 ? '-' : shown.join(', ') + (ranges.length > PARTITIONS_SHOWN ? ', …' : '');
}
