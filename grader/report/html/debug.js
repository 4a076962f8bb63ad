'use strict';
const recordings = JSON.parse(document.getElementById('data').textContent).debug || {};
for (const root of document.querySelectorAll('[data-player]')) {
  const film = recordings[root.dataset.player];
  if (!film || film.events.length === 0) continue;
  const part = (name) => root.querySelector('[data-' + name + ']');
  const make = (tag, text, attributes) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    return made;
  };
  const events = film.events, slider = part('slider'), laneChoice = part('lane');
  const sides = film.warps.map((w, i) => i).filter((i) => film.warps[i].detailed);
  let now = film.marked, lane = film.lane, element = null;
  laneChoice.value = String(lane);

  // An event lane by lane.
  const active = (e, l) => (e.m >>> l & 1) === 1;
  const placeOf = (e, l) => { let n = 0; for (let i = 0; i < l; i++) n += e.m >>> i & 1; return n; };
  const offsetAt = (e, at) => Array.isArray(e.o) ? e.o[at] : e.o.a + e.o.d * at;
  const objectAt = (e, at) => e.j[e.j.length === 1 ? 0 : at];
  const valueAt = (list, e, at, i) => list === undefined ? '' : list.length === 1 ? list[0] : list[at * (e.n || 1) + i];
  const indexAt = (e, at, i) => Math.floor((offsetAt(e, at) + i * (e.b || 4)) / film.objects[objectAt(e, at)].size);
  const grid = (o) => o.rows > 1 && o.pitch > 0;
  const rowCol = (o, index) => !grid(o) ? [Math.floor(index / 32), (index % 32 + 32) % 32]
    : o.byColumns ? [index % o.pitch, Math.floor(index / o.pitch)] : [Math.floor(index / o.pitch), index % o.pitch];
  const indexOf = (o, row, col) => !grid(o) ? row * 32 + col : o.byColumns ? col * o.pitch + row : row * o.pitch + col;
  const nameOf = (o, index) => {
    if (!grid(o) || index < 0) return o.name + '[' + index + ']';
    const [row, col] = rowCol(o, index);
    return o.name + '[' + row + '][' + col + ']';
  };
  /** Calls visit(object, index, lane, value, before) for each element that an event reaches. */
  const touched = (e, visit) => {
    if (!e.o) return;
    for (let l = 0, at = 0; l < 32; l++) {
      if (!active(e, l)) continue;
      for (let i = 0; i < (e.n || 1); i++) visit(objectAt(e, at), indexAt(e, at, i), l, valueAt(e.v, e, at, i), valueAt(e.f, e, at, i));
      at++;
    }
  };
  const placeName = (e) => { const at = film.lines[e.l]; return at.line > 0 ? at.file + ':' + at.line : 'no line'; };
  const colour = (l) => 'hsl(' + Math.round(l * 11.25) + ' 70% ' + (matchMedia('(prefers-color-scheme: dark)').matches ? '62%' : '45%') + ')';
  const verbs = { load: 'reads', store: 'writes', atomic: 'updates' };

  // What one lane does.
  const laneWords = (e, l) => {
    if (!active(e, l)) return '';
    const at = placeOf(e, l);
    if (e.k === 'branch') return (e.t >>> l & 1) === 1 ? 'jumps' : 'does not jump';
    if (e.k === 'shuffle') return valueAt(e.v, e, at, 0) + ' from lane ' + (e.x ? e.x[at] : '?');
    if (e.o) {
      const o = film.objects[objectAt(e, at)];
      const outside = o.space !== 'local' && o.name !== '?' && (offsetAt(e, at) < 0 || offsetAt(e, at) >= o.bytes);
      let text = verbs[e.k] + ' ' + nameOf(o, indexAt(e, at, 0)) + (outside ? ' (outside)' : '');
      if (e.n > 1) text += ' and ' + (e.n - 1) + ' more';
      if (e.f) return text + ': ' + valueAt(e.f, e, at, 0) + ' becomes ' + valueAt(e.v, e, at, 0);
      return e.v ? text + ': ' + Array.from({ length: e.n || 1 }, (_, i) => valueAt(e.v, e, at, i)).join(', ') : text;
    }
    if (e.v) return 'computes ' + valueAt(e.v, e, at, 0);
    return e.k === 'finding' ? 'the finding' : e.s;
  };

  // The panes: one for each side, at its last event that is not later than the present one.
  const panes = sides.map((warp) => {
    const pane = make('section', undefined, { class: 'pane' }), list = make('div', undefined, { class: 'lanes', role: 'list' });
    const title = make('h3', film.warps[warp].name), words = make('p');
    const cells = Array.from({ length: 32 }, (_, l) => {
      const cell = make('button', undefined, { type: 'button', class: 'lane of-' + l });
      cell.append(make('span', String(l), { class: 'tag' }), make('span', '', { class: 'does' }));
      cell.addEventListener('click', () => { lane = l; laneChoice.value = String(l); show(now); });
      const item = make('div', undefined, { role: 'listitem' });
      item.append(cell);
      list.append(item);
      return cell;
    });
    pane.append(title, words, list);
    part('panes').append(pane);
    return { warp, words, cells, pane };
  });
  const lastOf = (warp, until) => { for (let i = until; i >= 0; i--) if (events[i].w === warp) return i; return -1; };
  /** The event whose accesses are shown: a finding shows what its warp did last. */
  const acting = (i) => { const before = events[i].k === 'finding' ? lastOf(events[i].w, i - 1) : i; return before < 0 ? i : before; };
  const showPanes = () => {
    for (const p of panes) {
      const at = lastOf(p.warp, now), e = events[at], acts = at < 0 ? undefined : events[acting(at)];
      p.pane.classList.toggle('current', at === now);
      p.words.textContent = e ? 'Event ' + (at + 1) + ', ' + placeName(e) + ': ' + e.s : 'has not begun in this recording';
      p.cells.forEach((cell, l) => {
        const is = acts !== undefined && active(acts, l);
        cell.classList.toggle('off', !is);
        cell.setAttribute('aria-pressed', String(l === lane));
        cell.lastChild.textContent = is ? laneWords(acts, l) : 'inactive';
      });
    }
  };

  // The source.
  const rows = new Map(Array.from(root.querySelectorAll('tr[data-line]'), (row) => [Number(row.dataset.line), row]));
  const showLine = () => {
    for (const row of root.querySelectorAll('tr.now-here, tr.other-here')) row.classList.remove('now-here', 'other-here');
    const mark = (e, name) => { const at = e && film.lines[e.l], row = at && at.here ? rows.get(at.line) : undefined; if (row) row.classList.add(name); return row; };
    for (const p of panes) if (p.warp !== events[now].w) mark(events[lastOf(p.warp, now)], 'other-here');
    const row = mark(events[now], 'now-here'), box = part('code');
    if (!row || !box) return;
    const top = row.offsetTop - box.clientHeight / 2;
    if (row.offsetTop < box.scrollTop + 20 || row.offsetTop > box.scrollTop + box.clientHeight - 40) box.scrollTop = top;
  };

  // Arrays as maps.
  const most = 64;
  const maps = film.objects.map((o, number) => {
    let lowRow = Infinity, highRow = -Infinity, lowCol = Infinity, highCol = -Infinity;
    for (const e of events) touched(e, (j, index) => {
      if (j !== number) return;
      const [row, col] = rowCol(o, index);
      lowRow = Math.min(lowRow, row); highRow = Math.max(highRow, row); lowCol = Math.min(lowCol, col); highCol = Math.max(highCol, col);
    });
    if (lowRow === Infinity) return null;
    const canvas = make('canvas', undefined, { tabindex: '0', role: 'img' }), out = make('output', '', { class: 'mono' });
    const figure = make('figure', undefined, { class: 'map' }), caption = make('figcaption', '');
    figure.append(canvas, caption, out);
    part('maps').append(figure);
    const map = { o, number, lowRow, highRow, lowCol, highCol, canvas, caption, out, row: lowRow, col: lowCol, top: lowRow, left: lowCol };
    const look = (row, col) => {
      map.row = Math.min(Math.max(row, lowRow), highRow); map.col = Math.min(Math.max(col, lowCol), highCol);
      out.textContent = story(map);
    };
    canvas.addEventListener('mousemove', (event) => {
      const box = canvas.getBoundingClientRect();
      look(map.top + Math.floor((event.clientY - box.top) / box.height * map.rows), map.left + Math.floor((event.clientX - box.left) / box.width * map.cols));
    });
    canvas.addEventListener('click', () => { element = [number, indexOf(o, map.row, map.col)]; show(now); });
    canvas.addEventListener('keydown', (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (event.key === 'Enter') { element = [number, indexOf(o, map.row, map.col)]; show(now); }
      if (!step) return;
      event.preventDefault(); event.stopPropagation();
      look(map.row + step[0], map.col + step[1]);
      drawMap(map);
    });
    return map;
  }).filter(Boolean);
  /** What is known of one element: its last value, and who touched it now and before. */
  const story = (map) => {
    const index = indexOf(map.o, map.row, map.col), text = [nameOf(map.o, index)], lanes = [];
    touched(events[acting(now)], (j, i, l, value) => { if (j === map.number && i === index) lanes.push([l, value]); });
    if (lanes.length) text.push('lane ' + lanes.map(([l]) => l).join(', ') + ' ' + verbs[events[acting(now)].k] + (lanes[0][1] ? ' ' + lanes[0][1] : ' it'));
    for (let at = acting(now) - (lanes.length ? 1 : 0); at >= 0; at--) {
      let found = '';
      touched(events[at], (j, i, l, value) => { if (j === map.number && i === index && !found) found = 'last at event ' + (at + 1) + ': lane ' + l + ' of ' + film.warps[events[at].w].name + ' ' + verbs[events[at].k] + (value ? ' ' + value : ' it'); });
      if (found) { text.push(found); break; }
      if (at === 0) text.push('not touched before');
    }
    return text.join('; ');
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const drawMap = (map) => {
    const { o, canvas } = map;
    map.rows = Math.min(map.highRow - map.lowRow + 1, most); map.cols = Math.min(map.highCol - map.lowCol + 1, most);
    let firstRow = null, firstCol = null;
    const cells = [];
    touched(events[acting(now)], (j, index, l) => {
      if (j !== map.number) return;
      const [row, col] = rowCol(o, index);
      cells.push([row, col, l]);
      if (firstRow === null || row < firstRow) firstRow = row;
      if (firstCol === null || col < firstCol) firstCol = col;
    });
    const into = (top, size, first, low, high) => first === null || (first >= top && first < top + size) ? top : Math.min(Math.max(first - Math.floor(size / 4), low), high - size + 1);
    map.top = into(map.top, map.rows, firstRow, map.lowRow, map.highRow);
    map.left = into(map.left, map.cols, firstCol, map.lowCol, map.highCol);
    const size = Math.max(5, Math.min(18, Math.floor(340 / map.cols))), scale = 2;
    canvas.width = map.cols * size * scale; canvas.height = map.rows * size * scale;
    canvas.style.width = map.cols * size + 'px'; canvas.style.height = map.rows * size + 'px';
    const pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    const fill = (row, col, paint, inset) => { pen.fillStyle = paint; pen.fillRect((col - map.left) * size + inset, (row - map.top) * size + inset, size - 2 * inset, size - 2 * inset); };
    for (let r = 0; r < map.rows; r++) for (let c = 0; c < map.cols; c++) fill(map.top + r, map.left + c, css('--heat-0'), .5);
    for (let at = 0; at < now; at++) touched(events[at], (j, index) => { if (j === map.number) { const [row, col] = rowCol(o, index); fill(row, col, css(events[at].k === 'load' ? '--line' : '--faint'), .5); } });
    for (const [row, col, l] of cells) fill(row, col, colour(l), 0);
    pen.lineWidth = 2;
    for (const [row, col, l] of cells) if (l === lane) { pen.strokeStyle = css('--ink'); pen.strokeRect((col - map.left) * size + 1, (row - map.top) * size + 1, size - 2, size - 2); }
    if (document.activeElement === canvas) { pen.strokeStyle = css('--accent'); pen.strokeRect((map.col - map.left) * size + 1, (map.row - map.top) * size + 1, size - 2, size - 2); }
    map.caption.textContent = o.name + (o.space === 'global' ? '' : ' (' + o.space + ')') + ', ' + (grid(o) ? 'rows ' + map.top + ' to ' + (map.top + map.rows - 1) + ', columns ' + map.left + ' to ' + (map.left + map.cols - 1) : 'elements ' + indexOf(o, map.top, 0) + ' to ' + indexOf(o, map.top + map.rows - 1, 31)) + (cells.length ? ': ' + cells.length + ' touched by this event' : '');
    canvas.setAttribute('aria-label', 'Map of ' + map.caption.textContent + '. Arrow keys move over its elements.');
    map.out.textContent = story(map);
  };

  // Time from left to right, a row for each warp.
  const shape = (tag, attributes) => { const made = document.createElementNS('http://www.w3.org/2000/svg', tag); for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value); return made; };
  const wide = 900, left = 150, rowHeight = 18;
  const across = (i) => left + (wide - left - 16) * (events.length > 1 ? i / (events.length - 1) : 0);
  const time = shape('svg', { viewBox: '0 0 ' + wide + ' ' + (film.warps.length * rowHeight + 8), role: 'img', 'aria-label': 'Barriers of ' + film.warps.length + ' warps over time' });
  const name = shape('title', {});
  name.textContent = 'Barriers of ' + film.warps.length + ' warps over time';
  time.append(name);
  film.warps.forEach((w, i) => {
    const y = i * rowHeight + 14, name = shape('text', { x: 4, y, class: w.detailed ? 'chosen' : '' });
    name.textContent = w.name;
    time.append(name, shape('line', { x1: left, x2: wide - 16, y1: y - 4, y2: y - 4, class: w.detailed ? 'axis chosen' : 'axis' }));
  });
  const signs = { arrive: '○', release: '●', leave: '■', finding: '✗' };
  events.forEach((e, i) => {
    if (!signs[e.k]) return;
    const sign = shape('text', { x: across(i), y: e.w * rowHeight + 14, 'text-anchor': 'middle', class: 'sign ' + e.k });
    sign.textContent = signs[e.k];
    const title = shape('title', {});
    title.textContent = film.warps[e.w].name + ', event ' + (i + 1) + ', ' + placeName(e) + ': ' + e.s;
    sign.append(title);
    time.append(sign);
  });
  const cursor = shape('line', { y1: 0, y2: film.warps.length * rowHeight + 8, class: 'cursor' });
  time.append(cursor);
  time.addEventListener('click', (event) => {
    const box = time.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * wide;
    show(Math.round((x - left) / (wide - left - 16) * (events.length - 1)));
  });
  part('time').append(time);

  const next = (from, step, fits) => { for (let i = from + step; i >= 0 && i < events.length; i += step) if (fits(events[i])) return i; return from; };
  const detailed = (e) => film.warps[e.w].detailed;
  const hasElement = (e) => { let found = false; touched(e, (j, index) => { found = found || (element && j === element[0] && index === element[1]); }); return found; };
  const go = {
    first: () => 0, last: () => events.length - 1, finding: () => film.marked,
    next: () => next(now, 1, detailed), back: () => next(now, -1, detailed),
    line: () => next(now, 1, (e) => detailed(e) && e.l === events[now].l), 'line-back': () => next(now, -1, (e) => detailed(e) && e.l === events[now].l),
    lane: () => next(now, 1, (e) => e.w === events[now].w && active(e, lane)),
    element: () => {
      if (!element || !hasElement(events[now])) { // the one that the chosen lane reaches now
        const e = events[now];
        if (e.o && active(e, lane)) { const at = placeOf(e, lane); element = [objectAt(e, at), indexAt(e, at, 0)]; }
      }
      return element ? next(now, 1, hasElement) : now;
    },
  };
  const show = (to) => {
    now = Math.min(Math.max(to, 0), events.length - 1);
    const e = events[now];
    slider.value = String(now + 1);
    part('number').textContent = (now + 1) + ' of ' + events.length;
    part('now').textContent = film.warps[e.w].name + ', ' + placeName(e) + ': ' + e.s;
    part('now').classList.toggle('found', film.hasFinding && now === film.marked);
    cursor.setAttribute('x1', across(now)); cursor.setAttribute('x2', across(now));
    showPanes(); showLine();
    for (const map of maps) drawMap(map);
  };
  for (const button of root.querySelectorAll('[data-go]')) button.addEventListener('click', () => show(go[button.dataset.go]()));
  slider.addEventListener('input', () => show(Number(slider.value) - 1));
  laneChoice.addEventListener('change', () => { lane = Number(laneChoice.value); show(now); });
  const alone = document.querySelectorAll('[data-player]').length === 1 && !document.querySelector('.contents');
  (alone ? document : root).addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, canvas')) return;
    const name = { ArrowLeft: 'back', ArrowRight: 'next', Home: 'first', End: 'last', n: 'line', p: 'line-back', f: 'finding' }[event.key];
    if (!name) return;
    event.preventDefault();
    show(go[name]());
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => show(now));
  const holder = root.closest('details');
  if (holder) holder.addEventListener('toggle', () => { if (holder.open) show(now); });

  // The whole table, once somebody asks for it.
  const table = root.querySelector('details.events');
  table.addEventListener('toggle', () => {
    if (!table.open || table.dataset.whole) return;
    table.dataset.whole = 'yes';
    const body = document.createElement('tbody');
    events.forEach((e, i) => {
      const row = make('tr', undefined, film.hasFinding && i === film.marked ? { class: 'bad' } : {}), lanes = [];
      for (let l = 0; l < 32; l++) if (active(e, l)) { const from = l; while (l < 31 && active(e, l + 1)) l++; lanes.push(from === l ? String(l) : from + '-' + l); }
      const head = make('th', String(i + 1), { scope: 'row', class: 'n' });
      row.append(head, make('td', film.warps[e.w].name, { 'data-label': 'Warp' }), make('td', placeName(e), { 'data-label': 'Line' }), make('td', lanes.join(','), { 'data-label': 'Lanes' }), make('td', e.s, { class: 'long', 'data-label': 'What happened' }));
      body.append(row);
    });
    part('table').querySelector('tbody').replaceWith(body);
    part('table').querySelector('caption').textContent = 'All ' + events.length + ' events';
  });
  show(film.marked);
}
