// The frame of all pages: navigation, who is logged in, how fresh the figures are, and the page that the address names.
import { html, nothing } from './lib.js';
import { Part } from './parts.js';
import { CLOCK_DIFFERENCE_MS_MAX, feed } from './feed.js';
import { texts } from './texts.js';
import './page-overview.js';
import './page-tables.js';
import './page-table.js';
import './page-tunnels.js';
import './page-tunnel.js';
import './page-cluster.js';
import './page-tail.js';
import './page-login.js';

const LINKS = [
  ['', texts.overview],
  ['tables', texts.tables],
  ['tunnels', texts.tunnels],
  ['cluster', texts.cluster],
];

/** Pages by their first word and how many words follow. @type {Record<string, string>} */
const PAGES = {
  '/0': 'page-overview',
  'tables/0': 'page-tables',
  'tables/1': 'page-table',
  'tunnels/0': 'page-tunnels',
  'tunnels/2': 'page-tunnel',
  'tail/2': 'page-tail',
  'cluster/0': 'page-cluster',
  'login/0': 'page-overview',
};

/** The words of the address behind "#/". */
function route() {
  try {
    return location.hash.replace(/^#?\/?/, '').split('/').map(decodeURIComponent);
  } catch {
    return ['?'];
  }
}

class TunnelConsole extends Part {
  constructor() {
    super();
    /** Why a log-out failed; empty without one. */
    this.logoutFault = '';
    this.onFeed = () => this.changed();
    this.onRoute = () => this.show(true);
  }

  connectedCallback() {
    super.connectedCallback();
    feed.addEventListener('change', this.onFeed);
    addEventListener('hashchange', this.onRoute);
    feed.start();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    feed.removeEventListener('change', this.onFeed);
    removeEventListener('hashchange', this.onRoute);
  }

  changed() {
    this.requestUpdate();
    this.show(false);
  }

  /**
   * Puts the page of the address into the main part.
   *
   * @param {boolean} isMove whether somebody went to another page: the focus goes to its heading
   */
  show(isMove) {
    const main = this.querySelector('main');
    if (main === null || (feed.me === null && feed.condition !== 'loggedOut')) {
      return;
    }
    const words = route();
    const name = feed.me === null ? 'page-login' : PAGES[`${words[0]}/${words.length - 1}`];
    const key = [name, ...words].join('/');
    if (main.dataset.page !== key) {
      main.dataset.page = key;
      const page = name === undefined ? Object.assign(document.createElement('p'), { className: 'note', textContent: texts.notFound }) : document.createElement(name);
      Object.assign(page, { words: words.slice(1) });
      main.replaceChildren(page);
      document.title = [...words.filter((word) => word !== ''), texts.product].join(' · ');
      this.requestUpdate();
      if (isMove) {
        requestAnimationFrame(() => main.querySelector('h1')?.focus());
      }
    }
  }

  firstUpdated() {
    this.show(false);
  }

  async logout() {
    this.logoutFault = await feed.logOut();
    this.requestUpdate();
  }

  /** @param {Event} event */
  skip(event) {
    event.preventDefault();
    this.querySelector('main')?.focus();
  }

  /** What is wrong, if anything. */
  remarks() {
    const fault = feed.me === null || this.logoutFault === '' ? nothing : html`<p class="note bad" id="logout-failed">▲ ${texts.logoutFailed} (${this.logoutFault})</p>`;
    return html`${fault} ${this.figureRemark()}`;
  }

  /** What is wrong with the figures, if anything. */
  figureRemark() {
    const { condition, aheadMs } = feed;
    if (condition === 'lost') {
      return html`<p class="note bad" id="lost">▲ ${texts.feed.lost}</p>`;
    }
    if (condition === 'stale') {
      return html`<p class="note bad" id="stale">▲ ${texts.feed.stale(Date.now() - feed.arrivedMs)}</p>`;
    }
    return condition === 'live' && Math.abs(aheadMs) > CLOCK_DIFFERENCE_MS_MAX ? html`<p class="note bad" id="clock">▲ ${texts.feed.clock(aheadMs)}</p>` : nothing;
  }

  render() {
    const { me, condition } = feed;
    const [first] = route();
    return html`<a class="skip" href="#main" @click=${this.skip}>${texts.skip}</a>
      <header>
        <span class="brand">${texts.product}</span>
        <nav aria-label=${texts.navigation}>
          ${me === null ? nothing : LINKS.map(([word, text]) => html`<a href="#/${word}" aria-current=${word === first ? 'page' : 'false'}>${text}</a>`)}
        </nav>
        <span class="who">
          <span class="feed ${condition}" id="feed">${condition === 'live' ? '●' : '○'} ${texts.feed.conditions[condition]}</span>
          ${me === null ? nothing : html`<span>${[me.node, me.version].filter((each) => each).join(', ')}</span>`}
          ${me?.principal ? html`<span id="principal">${me.principal}</span> <button type="button" id="logout" @click=${this.logout}>${texts.logout}</button>` : nothing}
        </span>
      </header>
      <div id="remarks" role="status" aria-live="polite">${this.remarks()}</div>
      <main id="main" tabindex="-1"></main>
      <operation-dialog></operation-dialog>`;
  }
}
customElements.define('tunnel-console', TunnelConsole);
