// The figures of nodes as rows of a table.
import { bytes, count, duration, historyLeft, known } from './format.js';
import { texts } from './texts.js';

/**
 * @typedef {{ name: string, address: string, atMs: number | null, figures: import('./feed.js').Figures | null,
 *   missingSinceMs: number | null, why: string | null }} NodeFigures
 */

/** @param {any} seconds */
const inMs = (seconds) => (typeof seconds === 'number' ? seconds * 1000 : seconds);

/**
 * The figures of a node, or of all nodes together, in the order of texts.nodes.figureHeadings behind the name.
 *
 * @param {import('./feed.js').Figures} figures
 */
export function nodeRow(figures) {
  const of = /** @type {Record<string, any>} */ (figures);
  return [
    known(of.writtenRows, count),
    known(of.deliveredRows, count),
    known(of.commitToDeliveryP99Ms, duration),
    known(inMs(of.lagSecondsMax), duration),
    historyLeft(inMs(of.historyLeftSeconds)),
    known(of.sessions, count),
    known(of.diskUsedBytes, bytes),
    known(of.diskFreeBytes, bytes),
    known(of.residentBytes, bytes),
    known(of.cpuShare, (share) => `${(share * 100).toFixed(0)} %`),
  ];
}

/**
 * What is wrong with the figures of a node; empty when they are fresh.
 *
 * @param {NodeFigures} node
 * @param {number} nowMs by the clock of the answering node
 */
export function nodeTrouble(node, nowMs) {
  if (node.figures !== null) {
    return '';
  }
  return node.missingSinceMs === null ? texts.nodes.figuresAsked : texts.nodes.figuresMissing(duration(Math.max(0, nowMs - node.missingSinceMs)), node.why ?? '');
}
