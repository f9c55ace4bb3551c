// Is it well? What comes in, what goes out, and who is furthest behind.
import { html, nothing } from './lib.js';
import { Page, empty, table } from './parts.js';
import { feed } from './feed.js';
import { texts } from './texts.js';
import { bytes, count, duration, historyLeft, known, shortCount } from './format.js';
import './chart.js';

const words = texts.home;
const WORST_SHOWN = 10;

/** @param {number | null | undefined} seconds */
const inMs = (seconds) => (seconds === null || seconds === undefined ? seconds : seconds * 1000);

/** Milliseconds of a latency, which are fractions on a quick server. @param {number} ms */
const latency = (ms) => (ms < 10 ? `${ms.toFixed(2)} ms` : duration(ms));

/**
 * @param {string} name
 * @param {string} value
 * @param {string} [more]
 * @param {string} [kind] of a figure that is bad
 */
function figure(name, value, more = '', kind = '') {
  return html`<div class="figure ${kind}"><dt>${name}</dt><dd>${value}<small>${more}</small></dd></div>`;
}

/** A link to a tunnel. @param {string} of @param {string} tunnel */
export function tunnelLink(of, tunnel) {
  return html`<a href="#/tunnels/${encodeURIComponent(of)}/${encodeURIComponent(tunnel)}">${tunnel}</a>`;
}

/** A link to a table. @param {string} name */
export function tableLink(name) {
  return html`<a href="#/tables/${encodeURIComponent(name)}">${name}</a>`;
}

/**
 * A link to the changes of a partition.
 *
 * @param {string} of the table
 * @param {number} partition
 */
export function tailLink(of, partition) {
  return html`<a href="#/tail/${encodeURIComponent(of)}/${partition}" aria-label=${texts.tail.linkOf(String(partition))}>${texts.tail.link}</a>`;
}

class OverviewPage extends Page {
  render() {
    return html`<h1 tabindex="-1">${texts.overview}</h1>
      ${feed.condition === 'quiet' ? empty(words.quiet) : feed.snapshot === null ? html`<p class="note" role="status">${texts.loading}</p>` : this.figures()}`;
  }

  figures() {
    const { health, tunnels } = /** @type {import('./feed.js').Snapshot} */ (feed.snapshot);
    return html`<dl class="figures">${this.first(String(health.status ?? texts.unknown))} ${this.second()}</dl>
      <h2>${words.charts}</h2>
      <div class="charts">
        <hour-chart .title=${words.rowsChart} .names=${['writtenRows', 'deliveredRows']} .text=${shortCount}></hour-chart>
        <hour-chart .title=${words.bytesChart} .names=${['writtenBytes', 'deliveredBytes']} .text=${bytes}></hour-chart>
        <hour-chart .title=${words.latencyChart} .names=${['commitToDeliveryP50Ms', 'commitToDeliveryP99Ms']} .text=${latency}></hour-chart>
        <hour-chart .title=${words.lagChart} .names=${['lagSecondsMax']} .text=${seconds}></hour-chart>
        <hour-chart .title=${words.memoryChart} .names=${['heapUsedBytes', 'residentBytes']} .text=${bytes}></hour-chart>
        <hour-chart .title=${words.diskChart} .names=${['diskUsedBytes']} .text=${bytes}></hour-chart>
      </div>
      <h2>${words.worst}</h2>
      ${tunnels.length === 0 ? empty(words.noTunnels, words.createTunnel) : nothing}
      ${tunnels.length === 0 ? nothing : this.worst(tunnels)}`;
  }

  /** @param {string} status */
  first(status) {
    const of = /** @type {Record<string, any>} */ (feed.snapshot?.figures);
    const isLost = (feed.snapshot?.tunnels ?? []).some((each) => each.lost > 0);
    return html`${figure(words.health, status === 'UP' ? `● ${status}` : `✖ ${status}`, feed.snapshot?.node ?? '', status === 'UP' ? 'good' : 'bad')}
      ${figure(words.written, known(of.writtenRows, words.rowsPerSecond), known(of.writtenBytes, words.bytesPerSecond))}
      ${figure(words.delivered, known(of.deliveredRows, words.rowsPerSecond), known(of.deliveredBytes, words.bytesPerSecond))}
      ${figure(words.latency, known(of.commitToDeliveryP50Ms, latency), words.p99(known(of.commitToDeliveryP99Ms, latency)))}
      ${figure(words.lag, known(inMs(of.lagSecondsMax), duration), [of.worstTunnel ?? '', words.behind(known(of.lagChangesMax, count))].join(' '))}
      ${figure(words.history, isLost ? '✖ LOST' : historyLeft(inMs(of.historyLeftSeconds)), '', isLost ? 'bad' : '')}`;
  }

  second() {
    const of = /** @type {Record<string, any>} */ (feed.snapshot?.figures);
    return html`${figure(words.sessions, known(of.sessions, count))} ${figure(words.connections, known(of.connections, count))}
      ${figure(words.disk, known(of.diskUsedBytes, bytes), words.free(known(of.diskFreeBytes, bytes)))}
      ${figure(words.memory, known(of.residentBytes, bytes), words.heap(known(of.heapUsedBytes, bytes), known(of.heapMaxBytes, bytes)))}
      ${figure(words.cpu, known(of.cpuShare, (share) => `${(share * 100).toFixed(0)} %`))}`;
  }

  /** @param {import('./feed.js').TunnelFigures[]} tunnels */
  worst(tunnels) {
    return table(words.worst, texts.tunnelList.headings.filter((_, index) => index !== 2), tunnels.slice(0, WORST_SHOWN).map(feedRow));
  }
}
customElements.define('page-overview', OverviewPage);

/** @param {number} value */
const seconds = (value) => duration(value * 1000);

/**
 * The words for how a tunnel does.
 *
 * @param {{ stopped: number, lost: number, sessions: number }} figures
 */
export function tunnelState({ stopped, lost, sessions }) {
  const of = texts.tunnelList;
  if (lost > 0) {
    return html`<span class="bad">${of.lost(lost)}</span>`;
  }
  return stopped > 0 ? html`<span class="bad">${of.stopped(stopped)}</span>` : sessions > 0 ? of.good : of.idle;
}

/** @param {import('./feed.js').TunnelFigures} each */
function feedRow(each) {
  return [tunnelLink(each.table, each.tunnel), tableLink(each.table), tunnelState(each), ...tunnelFigures(each)];
}

/** @param {import('./feed.js').TunnelFigures} each */
export function tunnelFigures(each) {
  return [
    known(inMs(each.lagSeconds), duration),
    known(each.lagChanges, count),
    count(each.channels),
    count(each.sessions),
    each.lost > 0 ? 'LOST' : historyLeft(inMs(each.historyLeftSeconds)),
  ];
}
