// The workspace: saves what is typed, runs it, and shows results, without loading the page again. The editor is CodeMirror
// where the build had it (editor.js), and the page's own text area otherwise.
'use strict';
{
  const data = JSON.parse(document.getElementById('data').textContent);
  const at = (id) => document.getElementById(id);
  const tab = Array.from(crypto.getRandomValues(new Uint32Array(2)), (n) => n.toString(16)).join('');
  const kept = 'warpgrade ' + data.address + ' ' + data.file;  // what is not saved yet, for a browser that ends
  const typing_ms = 1500, soonest_ms = 400, latest_ms = 3000, longest_pause_ms = 15000;

  let basedOn = data.based_on, state = data.state, saved = at('text').value, conflict = null;
  let timer = 0, polling = 0, failures = 0, sending = Promise.resolve();

  // --- The editor ---

  const plainEditor = (area, on) => {
    area.addEventListener('input', on.change);
    return {
      text: () => area.value,
      set: (text) => { area.value = text; },
      faults: () => {},
      margin: () => {},
      go: (line) => {
        const lines = area.value.split('\n'), start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
        area.focus();
        area.setSelectionRange(start, start + (lines[line - 1] || '').length);
        area.scrollTop = (line - 5) * area.scrollHeight / lines.length;
      },
    };
  };
  const on = { change: () => changed(), run: () => act('try'), handIn: () => { if (at('hand-in')) act('hand_in'); }, save: () => act('save') };
  const make = window.warpgradeEditor || plainEditor;
  const editor = make(at('text'), on, { nonce: data.nonce, contract: data.contract.join('\n') });

  // --- Saving ---

  const say = (words) => { if (at('status').textContent !== words) at('status').textContent = words; };
  const remember = () => {
    try {
      if (editor.text() === saved) localStorage.removeItem(kept);
      else localStorage.setItem(kept, JSON.stringify({ text: editor.text(), basedOn }));
    } catch { /* a browser without storage loses only what a crash of its own takes */ }
  };
  function changed() {
    remember();
    if (conflict) return;
    say('Not saved yet.');
    clearTimeout(timer);
    timer = setTimeout(() => act('save'), typing_ms);
  }

  class Refused extends Error {}

  async function send(fields) {
    const body = new FormData();  // other forms may have 8 KiB
    for (const [name, value] of Object.entries({ csrf: data.csrf, file: data.file, tab, script: '1', ...fields })) body.append(name, value);
    const answer = await fetch(data.address, { method: 'POST', body, redirect: 'manual' });
    if (answer.type === 'opaqueredirect')
      throw new Refused('You are logged out. Log in again in another tab, and press Save here; your text is still in this tab.');
    const json = await answer.json();
    if (!answer.ok) throw new Refused(json.error || 'The service refused it.');
    return json;
  }

  /// Saves, and then does what was asked; one request after the other, so that each knows the version before it.
  function act(what) {
    clearTimeout(timer);
    sending = sending.then(() => actNow(what));
    return sending;
  }
  async function actNow(what) {
    const text = editor.text();
    if (conflict && what === 'save') return;
    if (what === 'save' && text === saved) return say('Saved.');
    if (conflict) return at('keep-mine').focus();
    if (what === 'hand_in') say('Handing in …');
    if (what === 'try') say('Starting a run …');
    try {
      const answer = await send({ what, text, based_on: basedOn });
      failures = 0;
      if (answer.conflict) return showConflict(answer);
      basedOn = answer.version;
      saved = text;
      remember();
      say(what === 'hand_in' ? (answer.known ? 'This is what you handed in last; it is not graded a second time.' : 'Handed in.')
        : 'Saved ' + answer.saved + '.');
      if (answer.state) show(answer.state);
      if (editor.text() !== text) changed();
    } catch (error) {
      if (error instanceof Refused) return say(error.message);
      // No connection, or the service is being started again: the text stays here, and is sent again.
      failures += 1;
      const pause = Math.min(1000 * 2 ** failures, longest_pause_ms);
      say('No connection. Your text is kept in this browser, and saved as soon as the service answers.');
      timer = setTimeout(() => act(what), pause);
    }
  }

  function showConflict(answer) {
    conflict = answer;
    say('');
    at('conflict-words').textContent = answer.remark;
    at('conflict').hidden = false;
  }
  const settle = (text) => {
    basedOn = conflict.current;
    conflict = null;
    at('conflict').hidden = true;
    if (text !== null) editor.set(text), saved = text;
    remember();
    act('save');
  };
  at('keep-mine').addEventListener('click', () => { saved = null; settle(null); });
  at('take-theirs').addEventListener('click', () => settle(conflict.theirs));

  // --- Results ---

  const element = (name, words, properties = {}) => Object.assign(document.createElement(name), { textContent: words }, properties);
  function showFrame(place, heading, address) {
    const shown = at(place).dataset.address || (at(place).querySelector('iframe') || { getAttribute: () => '' }).getAttribute('src');
    if (shown === address) return;
    at(place).dataset.address = address;
    const frame = element('iframe', '', { title: heading, src: address });
    frame.sandbox.add('allow-scripts');
    const link = element('p', '');
    link.append(element('a', 'By itself', { href: address }));
    at(place).replaceChildren(element('h2', heading), link, frame);
  }
  function showFaults(faults) {
    const list = element('ol', '', { className: 'faults' });
    for (const fault of faults) {
      const item = element('li', '', { className: fault.level });
      const where = fault.file + (fault.line ? ', line ' + fault.line : '');
      if (fault.line && fault.file === data.file) {
        const button = element('button', where, { type: 'button' });
        button.addEventListener('click', () => editor.go(fault.line));
        item.append(button);
      } else {
        item.append(element('strong', where));
      }
      item.append(' (' + fault.level + '): ' + fault.text);
      list.append(item);
    }
    at('faults').replaceChildren(...(faults.length ? [list] : []));
    editor.faults(faults.filter((fault) => fault.line && fault.file === data.file));
  }
  function showMargin() {
    const run = state.trial;
    const there = Boolean(run && run.margin);
    at('margin-tools').hidden = !there;
    at('margin-words').textContent = there && !run.margin.length && at('margin').checked ? 'Nothing was counted: ' + run.why_no_margin : '';
    editor.margin(there && at('margin').checked ? run.margin : []);
    if (there && at('margin').checked && !window.warpgradeEditor)
      at('margin-words').textContent = run.margin.map((line) => 'line ' + line.line + ': ' + line.text).join('; ');
  }
  at('margin').addEventListener('change', showMargin);

  function show(now) {
    state = now;
    const run = now.trial;
    const words = now.why_waiting && now.pending ? now.why_waiting : run ? run.words : '';
    if (at('verdict').textContent !== words) at('verdict').textContent = words;
    at('handed-in').textContent = now.handed_in + ' ';
    if (now.submission) at('handed-in').append(element('a', 'Its report', { href: now.submission }));
    if (run && run.state === 'done') {
      showFaults(run.faults);
      showFrame('report', 'The whole report', run.report);
    }
    showMargin();
    const player = now.player;
    if (player && player.page) showFrame('player', 'The failure, step by step', player.page);
    else if (player && player.why) at('player').replaceChildren(element('p', 'Nothing to step through: ' + player.why));
    else if (player && player.state !== 'replaced') at('player').replaceChildren(element('p', 'The failure is being recorded …', { role: 'status' }));
    clearTimeout(polling);
    if (now.pending) polling = setTimeout(() => poll(soonest_ms), soonest_ms);
  }
  async function poll(pause) {
    let next = Math.min(pause * 1.2, latest_ms);
    try {
      const answer = await fetch(data.address + '/state?file=' + encodeURIComponent(data.file), { redirect: 'manual' });
      if (answer.type === 'opaqueredirect') return;
      if (answer.ok) {
        const now = await answer.json();
        show(now);
        if (!now.pending) return;
      }
    } catch { next = latest_ms; }
    clearTimeout(polling);
    polling = setTimeout(() => poll(next), next);
  }

  // --- The rest of the page ---

  at('form').addEventListener('submit', (event) => {
    event.preventDefault();
    act(event.submitter ? event.submitter.value : 'save');
  });
  // Wherever the focus is; the editor has the same keys, and then this has nothing to do.
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) return;
    if (event.key === 'Enter' && (!event.shiftKey || at('hand-in'))) act(event.shiftKey ? 'hand_in' : 'try'), event.preventDefault();
    if (event.key === 's') act('save'), event.preventDefault();
  });
  at('script-tools').hidden = false;
  at('from-disk').addEventListener('change', async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    editor.set((await file.text()).replaceAll('\r\n', '\n'));
    event.target.value = '';
    act('save');
  });
  addEventListener('beforeunload', (event) => { if (editor.text() !== saved) event.preventDefault(); });

  // What this browser kept when it ended before it could save.
  try {
    const left = JSON.parse(localStorage.getItem(kept) || 'null');
    if (left && left.text !== saved) {
      editor.set(left.text);
      basedOn = left.basedOn;
      act('save');
    }
  } catch { /* nothing is kept */ }
  show(state);
}
