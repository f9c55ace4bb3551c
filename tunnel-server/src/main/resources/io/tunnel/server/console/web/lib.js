// The libraries, as the server serves them: one place that knows where they are.
export { LitElement, html, nothing, svg } from '/console/lib/lit/index.js';
export { repeat } from '/console/lib/lit/directives/repeat.js';
export { live } from '/console/lib/lit/directives/live.js';
export { default as uPlot } from '/console/lib/uplot/uPlot.esm.js';
