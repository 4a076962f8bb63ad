// The workspace: saves what is typed, runs it, and shows results, without loading the page again. The editor is CodeMirror
// where the build had it (editor.js), and the page's own text area otherwise.
'use strict';
{
  const data = JSON.parse(document.getElementById('data').textContent);
  const at = (id) => document.getElementById(id);
  const typing_ms = 1500, longest_unsaved_ms = 5000, soonest_ms = 400, latest_ms = 3000, longest_pause_ms = 15000, answer_ms = 20000, most_failures = 5;

  // What is not saved yet is kept in the browser, for one that ends: by person, file and tab.
  const prefix = ['warpgrade', data.person, data.address, data.file, ''].join(' ');
  let tab = Array.from(crypto.getRandomValues(new Uint32Array(2)), (n) => n.toString(16)).join('');

  let basedOn = data.based_on, state = data.state, saved = at('text').value, conflict = null;
  let timer = 0, unsavedSince = 0, polling = 0, turn = 0, failures = 0, sending = Promise.resolve();
  let wanted = null;  // a run or a hand-in that the service has not answered yet, with its text
  let shownRun = 0;
  let layingOut = null;  // a text that is being formatted

  // --- The editor ---

  const plainEditor = (area, on) => {
    area.addEventListener('input', on.change);
    return {
      text: () => area.value,
      set: (text) => { area.value = text; },
      replace: (text) => {
        const { selectionStart: place, scrollTop } = area;
        area.value = text;
        area.setSelectionRange(place, place);
        area.scrollTop = scrollTop;
      },
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
  const layOut = () => { if (at('lay-out')) act('layout'); };
  const on = { change: () => changed(), run: () => act('try'), handIn: () => { if (at('hand-in')) act('hand_in'); }, save: () => act('save'), layOut };
  const make = window.warpgradeEditor || plainEditor;
  const editor = make(at('text'), on, { nonce: data.nonce, contract: data.contract.join('\n') });

  // --- Saving ---

  const say = (words) => { if (at('status').textContent !== words) at('status').textContent = words; };
  const remember = () => {
    try {
      if (editor.text() === saved) localStorage.removeItem(prefix + tab);
      else localStorage.setItem(prefix + tab, JSON.stringify({ text: editor.text(), basedOn, at: Date.now() }));
    } catch { /* a browser without storage loses only what a crash of its own takes */ }
  };
  function changed() {
    remember();
    if (conflict || wanted || failures) return;  // what is sent next has this text too
    const now = Date.now();
    unsavedSince = unsavedSince || now;
    clearTimeout(timer);
    timer = setTimeout(() => act('save'), Math.max(0, Math.min(typing_ms, unsavedSince + longest_unsaved_ms - now)));
  }

  class Refused extends Error {}
  class Busy extends Error {}

  async function send(fields) {
    const body = new FormData();  // other forms may have 8 KiB
    for (const [name, value] of Object.entries({ csrf: data.csrf, file: data.file, tab, script: '1', ...fields })) body.append(name, value);
    const answer = await fetch(data.address, { method: 'POST', body, redirect: 'manual', signal: AbortSignal.timeout(answer_ms) });
    if (answer.type === 'opaqueredirect')
      throw new Refused('You are logged out. Log in again in another tab, and press Save here; your text is still in this tab.');
    if (answer.status >= 500) throw new Busy('The service is busy.');
    const json = await answer.json();
    if (!answer.ok && json.version) took(fields.text, json);  // the text was saved, and what was asked for besides was refused
    if (!answer.ok) throw new Refused((json.error && (json.error.message || json.error)) || 'The service refused it.');
    return json;
  }
  function took(text, answer) {
    basedOn = answer.version;
    saved = text;
    unsavedSince = 0;
    remember();
  }

  /// Saves, and then does what was asked; one request after the other, so that each knows the version before it.
  function act(what, more = {}) {
    if (wanted && wanted.what === 'hand_in' && what !== 'save' && what !== 'hand_in') {
      say('The hand-in waits for the connection.');
      return sending;
    }
    clearTimeout(timer);
    const job = { what, text: editor.text(), more };
    if (what !== 'save') wanted = job;
    sending = sending.catch(() => {}).then(() => {
      if (what === 'save') return actNow(wanted || { what, text: editor.text(), more });
      return wanted === job ? actNow(job) : undefined;  // else it was sent before its turn, or replaced by a later one
    });
    return sending;
  }
  async function actNow(job) {
    const { what, text, more } = job;
    const over = () => { if (wanted === job) wanted = null; };
    if (conflict) {
      wanted = null;
      if (what !== 'save') at('keep-mine').focus();
      return;
    }
    if (what === 'save' && text === saved) return say('Saved.');
    if (what === 'hand_in') say('Handing in …');
    if (what === 'try') say('Starting a run …');
    if (what === 'layout') say('Formatting …');
    turn += 1;
    let answer;
    try {
      answer = await send({ what, text, based_on: basedOn, ...more });
    } catch (error) {
      failures += 1;
      if (error instanceof Refused || (error instanceof Busy && failures >= most_failures && wanted === job)) {
        failures = 0;
        over();
        say(error.message);
        if (editor.text() !== saved) changed();
        return;
      }
      // No connection, or the service is being started again: the text stays here, and is sent again.
      say((what === 'hand_in' ? 'Not handed in yet: no connection. ' : 'No connection. ') +
        'Your text is kept in this browser, and sent as soon as the service answers.');
      clearTimeout(timer);
      timer = setTimeout(() => act('save', more), Math.min(1000 * 2 ** failures, longest_pause_ms));
      return;
    }
    turn += 1;
    failures = 0;
    over();
    if (answer.conflict) {
      wanted = null;
      return showConflict(answer);
    }
    took(text, answer);
    say(what === 'hand_in' ? (answer.known ? 'This is what you handed in last; it is not graded a second time.' : 'Handed in.')
      : 'Saved ' + answer.saved + '.');
    if (editor.text() !== text) changed();
    if (what === 'layout' && answer.layout) layingOut = { id: answer.layout, text };
    if (answer.state) show(answer.state);
  }

  function showConflict(answer) {
    conflict = answer;
    say('');
    at('conflict-words').textContent = answer.remark;
    at('conflict').hidden = false;
  }
  async function settle(mine) {
    const buttons = [at('keep-mine'), at('take-theirs')];
    for (const button of buttons) button.disabled = true;
    try {  // what was typed since the question was asked is put aside as well
      for (let put = null; !mine && put !== editor.text();) {
        put = editor.text();
        const answer = await send({ what: 'save', text: put, based_on: basedOn });
        conflict = answer.conflict ? answer : { current: answer.current, theirs: put };
      }
    } catch (error) {
      return say('Your text could not be put aside, so it stays here: ' + error.message);
    } finally {
      for (const button of buttons) button.disabled = false;
    }
    basedOn = conflict.current;
    if (mine) saved = null;
    else editor.set(conflict.theirs), saved = conflict.theirs;
    conflict = null;
    at('conflict').hidden = true;
    remember();
    act('save', { apart: '1' });
  }
  at('keep-mine').addEventListener('click', () => settle(true));
  at('take-theirs').addEventListener('click', () => settle(false));

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
  const clear = (place, ...instead) => {
    delete at(place).dataset.address;
    at(place).replaceChildren(...instead);
  };
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
    const waits = run && run.state !== 'done' && now.why_waiting;
    const words = waits ? now.why_waiting : run ? run.words : '';
    if (at('verdict').textContent !== words) at('verdict').textContent = words;
    if (at('waiting') && !waits) at('waiting').remove();
    if (at('handed-in').dataset.words !== now.handed_in) {
      at('handed-in').dataset.words = now.handed_in;
      at('handed-in').replaceChildren(now.handed_in + ' ', ...(now.submission ? [element('a', 'Its report', { href: now.submission })] : []));
    }
    // Once for each run: marks then move with what is typed, and the focus stays where it is.
    if (run && run.state === 'done' && run.id !== shownRun) {
      shownRun = run.id;
      showFaults(run.faults || []);
      if (run.report) showFrame('report', 'The whole report', run.report);
      showMargin();
    }
    const player = now.player;
    if (player && player.page) showFrame('player', 'The failure, step by step', player.page);
    else if (player && player.why) clear('player', element('p', 'Nothing to step through: ' + player.why));
    else if (player && player.state !== 'done') clear('player', element('p', 'The failure is being recorded …'));
    else clear('player');
    takeLayout(now.layout);
    clearTimeout(polling);
    if (now.pending) polling = setTimeout(() => poll(soonest_ms), soonest_ms);
  }
  /// Only in place of the text that was formatted: what has been typed since is worth more.
  function takeLayout(made) {
    if (!layingOut) return;
    const gone = !made || made.id !== layingOut.id;  // its version was typed over
    if (!gone && made.state !== 'done') return;
    const { text } = layingOut;
    layingOut = null;
    if (!gone && !made.text) return say('Not formatted: ' + made.why + '.');
    if (gone || editor.text() !== text) return say('Not formatted: the text has changed meanwhile. Format it again.');
    if (made.text === text) return say('It is formatted already.');
    editor.replace(made.text);
    say('Formatted.');
    changed();
  }
  async function poll(pause) {
    const asked = turn;
    let next = Math.min(pause * 1.2, latest_ms);
    try {
      const answer = await fetch(data.address + '/state?file=' + encodeURIComponent(data.file), { redirect: 'manual', signal: AbortSignal.timeout(answer_ms) });
      if (answer.type === 'opaqueredirect') next = longest_pause_ms;  // logged out, perhaps for a moment
      const now = answer.ok ? await answer.json() : null;
      if (now && asked === turn) {  // else something newer was asked for, and this may not know of it
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
    if (!event.defaultPrevented && event.shiftKey && event.altKey && event.code === 'KeyF') layOut(), event.preventDefault();
    if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) return;
    if (event.key === 'Enter' && (!event.shiftKey || at('hand-in'))) act(event.shiftKey ? 'hand_in' : 'try'), event.preventDefault();
    if (event.key === 's') act('save'), event.preventDefault();
  });
  at('script-tools').hidden = false;
  at('from-disk').addEventListener('change', async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    await act('save');  // what is there now stays in the history
    if (editor.text() !== saved) return say('Your text is not saved yet. Choose the file again when it is.');
    editor.set((await file.text()).replaceAll('\r\n', '\n'));
    event.target.value = '';
    remember();
    act('save', { apart: '1' });
  });
  addEventListener('beforeunload', (event) => { if (wanted || editor.text() !== saved) event.preventDefault(); });

  // A tab that lives holds the lock of its name. What a tab left that has ended, this one goes on with, under that name.
  const hold = (name) => new Promise((resolve) => {
    navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise(() => {}) : undefined;
    }).catch(() => resolve(false));
  });
  async function goOnWith(key) {
    if (navigator.locks && !await hold(key)) return false;
    const left = JSON.parse(localStorage.getItem(key));
    if (!navigator.locks && Date.now() - left.at < 60000) return false;
    localStorage.removeItem(key);
    if (left.text === saved || editor.text() !== saved) return false;
    if (navigator.locks) tab = key.slice(prefix.length);
    basedOn = left.basedOn;
    editor.set(left.text);
    remember();
    act('save');
    return true;
  }
  (async () => {
    if (navigator.locks) await hold(prefix + tab);
    let left = [];
    try { left = Object.keys(localStorage).filter((one) => one.startsWith(prefix) && one !== prefix + tab); } catch { /* nothing is kept */ }
    for (const key of left) if (await goOnWith(key).catch(() => false)) break;
  })();
  show(state);
}
