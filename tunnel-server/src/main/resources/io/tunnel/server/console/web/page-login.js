// The log-in. Only a token is taken; it goes to the server once, and stays nowhere in the page.
import { html, nothing } from './lib.js';
import { Part, empty } from './parts.js';
import { Refused, login } from './api.js';
import { feed } from './feed.js';
import { texts } from './texts.js';

const words = texts.signIn;

class LoginPage extends Part {
  static properties = { fault: { state: true }, isBusy: { state: true } };

  constructor() {
    super();
    this.fault = '';
    this.isBusy = false;
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (this.querySelector('input'));
    this.isBusy = true;
    this.fault = '';
    try {
      const me = await login(input.value.trim());
      input.value = '';
      await feed.began(me);
      if (location.hash === '#/login') {
        location.hash = '#/';
      }
    } catch (e) {
      const refused = e instanceof Refused ? e : new Refused('INTERNAL', String(e), 0);
      this.fault = refused.status === 401 ? `${words.refused} (${refused.message})` : refused.message;
    } finally {
      this.isBusy = false;
    }
  }

  render() {
    return html`<h1 tabindex="-1">${words.title}</h1>
      ${feed.hadSession ? html`<p class="note" role="status">${words.ended}</p>` : nothing}
      ${feed.interrupted === null ? nothing : html`<p class="note bad" id="interrupted" role="status">${words.interrupted(feed.interrupted.title, feed.interrupted.isBusy)}</p>`}
      <form class="sheet" @submit=${this.submit}>
        <p>${words.text}</p>
        <label for="token">${words.token}</label>
        <input id="token" name="token" type="password" required autocomplete="off" spellcheck="false" />
        ${this.fault === '' ? nothing : html`<p class="note bad" role="alert">${this.fault}</p>`}
        <div class="buttons"><button class="primary" ?disabled=${this.isBusy}>${words.go}</button></div>
      </form>
      ${empty(words.how, words.command)}`;
  }
}
customElements.define('page-login', LoginPage);
