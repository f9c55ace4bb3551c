// A chart of the last hour. uPlot draws it; beside the drawing stands its latest value as text.
import { html, svg, uPlot } from './lib.js';
import { Part } from './parts.js';
import { feed } from './feed.js';
import { texts } from './texts.js';
import { bytes, known } from './format.js';

const HEIGHT = 160;
const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Lines are told apart by dashes too. */
const DASHES = [[], [6, 4]];

const BINARY = Array.from({ length: 52 }, (_, power) => 2 ** power);

/** Hours and minutes of the viewer's day. @param {number} seconds since 1970 */
const clock = (seconds) => new Date(seconds * 1000).toTimeString().slice(0, 5);

export class HourChart extends Part {
  static properties = { title: {}, names: { attribute: false }, text: { attribute: false } };

  constructor() {
    super();
    this.title = '';
    /** @type {string[]} names of figures */
    this.names = [];
    /** @type {(value: number) => string} */
    this.text = String;
    /** @type {uPlot | null} */
    this.plot = null;
    this.onFeed = () => this.draw();
    this.onScheme = () => this.rebuild();
    this.sizes = new ResizeObserver(() => this.plot?.setSize({ width: this.width(), height: HEIGHT }));
  }

  connectedCallback() {
    super.connectedCallback();
    feed.addEventListener('change', this.onFeed);
    DARK.addEventListener('change', this.onScheme);
    this.sizes.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    feed.removeEventListener('change', this.onFeed);
    DARK.removeEventListener('change', this.onScheme);
    this.sizes.disconnect();
    this.plot?.destroy();
    this.plot = null;
  }

  width() {
    return Math.max(200, this.clientWidth - 2);
  }

  rebuild() {
    this.plot?.destroy();
    this.plot = null;
    this.draw();
  }

  data() {
    return /** @type {uPlot.AlignedData} */ ([feed.moments, ...this.names.map((name) => feed.series[name] ?? [])]);
  }

  draw() {
    const place = this.querySelector('.plot');
    if (place === null) {
      return;
    }
    this.requestUpdate();
    if (feed.moments.length === 0) {
      return;
    }
    if (this.plot === null) {
      this.plot = new uPlot(this.options(), this.data(), /** @type {HTMLElement} */ (place));
    } else {
      this.plot.setData(this.data());
    }
  }

  /** The latest value of each line, as text. */
  latest() {
    return this.names.map((name) => `${texts.home.series[name]} ${known(feed.series[name]?.at(-1), this.text)}`);
  }

  /** @returns {uPlot.Options} */
  options() {
    const style = getComputedStyle(this);
    const colour = /** @param {string} name */ (name) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line'), width: 1 } };
    return {
      width: this.width(),
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: true }, y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] } },
      axes: [{ ...axis, values: (_, splits) => splits.map(clock) }, { ...axis, size: 72, incrs: this.text === bytes ? BINARY : undefined, values: (_, splits) => splits.map((each) => this.text(each)) }],
      series: [
        {},
        ...this.names.map((name, index) => ({
          label: texts.home.series[name],
          stroke: colour(index === 0 ? '--first' : '--second'),
          width: 2,
          dash: DASHES[index],
          points: { show: false },
        })),
      ],
    };
  }

  firstUpdated() {
    this.draw();
  }

  render() {
    const latest = this.latest();
    return html`<figure>
      <figcaption>
        <strong>${this.title}</strong>
        ${latest.map((text, index) => html`<span class="latest"><svg class="swatch ${index === 0 ? 'first' : 'second'}" viewBox="0 0 26 8" aria-hidden="true">${svg`<line x1="0" y1="4" x2="26" y2="4"></line>`}</svg> ${text}</span>`)}
      </figcaption>
      <div class="plot" role="img" aria-label=${texts.home.chartText(this.title, latest.join(', '))}></div>
    </figure>`;
  }
}
customElements.define('hour-chart', HourChart);
