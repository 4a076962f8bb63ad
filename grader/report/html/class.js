'use strict';
const $ = (id) => document.getElementById(id);
const round = (points) => Math.floor(points * 100 + .5) / 100;
const points = (v) => String(round(v));

// As the grader computes them: judge/speed.cpp, score/score.cpp.
const bar = (t, library) => !t.library ? { value: t.value, low: t.value } : library ? { value: t.value * library[0], low: t.value * library[1] } : null;
const inDoubt = ([median, , high], b) => median < b.value
  && Math.min(high, median * (1 + data.most_doubt)) >= Math.max(b.low, b.value * (1 - data.most_doubt));
const benefit = (rate, b) => inDoubt(rate, b) ? b.value : rate[0];
function stepPoints(one, step, pass, full) {
  if (!one) return 0;
  if (one.hand || one.badge !== 'PASS' || !one.r || !step.fast) return one.p;
  const p = bar(pass, one.c), f = bar(full, one.c);
  if (!p || !f) return one.p;
  const counts = Math.max(benefit(one.r, p), benefit(one.r, f));
  return round(one.o + round(step.fast * Math.min(1, Math.max(0, (counts - p.value) / (f.value - p.value)))));
}

const moved = data.steps.map((s) => s.pass && { pass: { ...s.pass }, full: { ...s.full } });
const total = (student) => round(student.points + (1 - (student.late || 0)) * student.steps.reduce((sum, one, i) =>
  sum + (one && data.steps[i].timed ? stepPoints(one, data.steps[i], moved[i].pass, moved[i].full) - one.p : 0), 0));
const mean = (list) => list.length ? list.reduce((a, b) => a + b, 0) / list.length : 0;

const bins = (values, from, to, count) => {
  const counts = new Array(count).fill(0), width = (to - from) / count || 1;
  values.forEach((v) => { counts[Math.min(count - 1, Math.max(0, Math.floor((v - from) / width)))] += 1; });
  return counts.map((y, i) => ({ x: from + (i + .5) * width, y, from: from + i * width, to: from + (i + 1) * width }));
};
const histogram = (list, title, marks) => ({
  type: 'bar',
  data: { datasets: [{ data: list, backgroundColor: seriesColour(0), barPercentage: 1, categoryPercentage: .94 }] },
  options: {
    maintainAspectRatio: false,
    scales: { x: { type: 'linear', offset: false, min: list[0].from, max: Math.round(list[list.length - 1].to), title: { display: true, text: title }, grid: { display: false } },
      y: { beginAtZero: true, ticks: { precision: 0 }, title: { display: true, text: 'students' } } },
    plugins: { legend: { display: false }, tooltip: { callbacks: { title: (c) => number(c[0].raw.from) + ' to ' + number(c[0].raw.to), label: (c) => c.raw.y + ' students' } } },
  },
  plugins: [lines(marks)],
});

const counted = data.students.filter((s) => s.counts);
const most = Math.ceil(Math.max(data.max_points, ...data.students.map((s) => s.points), 1) / 10) * 10;
draw('totals', () => histogram(bins(counted.map((s) => s.points), 0, most, 25), 'points',
  () => [{ axis: 'x', value: data.mean, label: 'mean' }]));

draw('outcomes', () => {
  const kinds = [['full points', '--good'], ['right, points lost', '--series-6'], ['wrong', '--bad'], ['not done', '--open'], ['grader failed', '--faint']];
  const counts = kinds.map(() => data.steps.map(() => 0));
  data.students.forEach((s) => s.steps.forEach((one, i) => { if (one && one.kind >= 0) counts[one.kind][i] += 1; }));
  return {
    type: 'bar',
    data: { labels: data.steps.map((s) => s.id), datasets: kinds.map(([label, colour], k) => ({ label, data: counts[k], backgroundColor: css(colour), borderColor: css('--paper'), borderWidth: 1 })) },
    options: { indexAxis: 'y', maintainAspectRatio: false, scales: { x: { stacked: true, ticks: { precision: 0 }, title: { display: true, text: 'students' } }, y: { stacked: true, grid: { display: false } } } },
  };
});

// --- thresholds that move
const timed = data.steps.map((s, i) => i).filter((i) => data.steps[i].timed);
let chosen = timed[timed.length - 1];
let rates = null;
const withRates = (i) => data.students.map((s) => s.steps[i]).filter((one) => one && one.r);
const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

function showMoved() {
  const rows = document.querySelectorAll('#students tbody tr');
  const totals = data.students.map(total);
  rows.forEach((row) => {
    const index = Number(row.dataset.index), cell = row.querySelector('.moved');
    const change = round(totals[index] - data.students[index].points);
    cell.dataset.sort = totals[index];
    cell.textContent = change === 0 ? '' : points(totals[index]) + ' (' + (change > 0 ? '+' : '−') + points(Math.abs(change)) + ')';
  });
  const step = data.steps[chosen], { pass, full } = moved[chosen];
  const before = [], after = [];
  let up = 0, down = 0;
  data.students.forEach((s) => {
    const one = s.steps[chosen];
    if (!one || !one.r) return;
    const now = stepPoints(one, step, pass, full);
    before.push(one.p); after.push(now);
    up += now > one.p; down += now < one.p;
  });
  const all = (list) => list.filter((p) => p + 1e-9 >= step.max).length;
  $('changes').textContent = step.id + ': ' + up + ' students gain, ' + down + ' lose. Mean ' + mean(before).toFixed(2) + ' → ' + mean(after).toFixed(2)
    + ' of ' + step.max + '; full points ' + all(before) + ' → ' + all(after) + ' of ' + after.length
    + '. Mean of all points ' + data.mean.toFixed(2) + ' → ' + mean(counted.map(total)).toFixed(2) + '.';
  const yaml = (t) => t.library ? round(t.value * 100) / 100 + ' ' + t.library : Math.round(t.value);
  $('yaml').textContent = '  ' + step.id + ': {size: ' + step.size + ', pass: ' + yaml(pass) + ', full: ' + yaml(full) + '}';
}

let waiting = false;
function changed() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    showMoved();
    rates.chart.update('none');
  });
}

function choose(i) {
  chosen = i;
  const { pass, full } = moved[i], list = withRates(i);
  const library = middle(list.filter((one) => one.c).map((one) => one.c[0])) || 1;
  const unit = pass.library ? 'of ' + data.steps[i].library : data.unit;
  const highest = Math.max(...list.map((one) => one.r[0] / (pass.library ? library : 1)), full.value) * 1.15;
  [['pass', pass], ['full', full]].forEach(([name, t]) => {
    $('unit-' + name).textContent = '(' + unit + ')';
    [$(name), $(name + '-number')].forEach((input) => {
      input.min = 0; input.max = t.library ? highest.toFixed(2) : Math.ceil(highest / 100) * 100; input.step = t.library ? .01 : 50; input.value = t.value;
    });
  });
  const top = Math.max(...list.map((one) => one.r[0])) * 1.02, unitOf = 10 ** Math.floor(Math.log10(top)) / 2, end = Math.ceil(top / unitOf) * unitOf;
  const make = () => histogram(bins(list.map((one) => one.r[0]), 0, end, 40), data.unit + ' of ' + data.steps[i].id, () => ['pass', 'full'].map((name) => {
    const t = moved[i][name];
    return { axis: 'x', value: Math.min(end, t.library ? t.value * library : t.value), label: name, dash: name === 'pass' ? [5, 4] : [] };
  }));
  if (rates) { rates.make = make; rates.redraw(); } else rates = draw('rates', make);
  showMoved();
}

if (timed.length) {
  timed.forEach((i) => $('step').add(new Option(data.steps[i].id + ' ' + data.steps[i].title, i, false, i === chosen)));
  $('step').addEventListener('change', () => choose(Number($('step').value)));
  ['pass', 'full'].forEach((name) => [name, name + '-number'].forEach((id) => $(id).addEventListener('input', () => {
    const value = Number($(id).value);
    if (!(value >= 0)) return;
    const t = moved[chosen];
    t[name].value = value;
    // Points grow from pass to full: one pushes the other along.
    const gap = t.pass.library ? .01 : 50;
    if (t.full.value < t.pass.value + gap) {
      if (name === 'pass') t.full.value = t.pass.value + gap;
      else t.pass.value = Math.max(0, t.full.value - gap);
      if (t.full.value <= t.pass.value) t.full.value = t.pass.value + gap;
    }
    ['pass', 'full'].forEach((n) => [n, n + '-number'].forEach((other) => { if (other !== id) $(other).value = t[n].value; }));
    changed();
  })));
  $('reset').addEventListener('click', () => {
    moved[chosen] = { pass: { ...data.steps[chosen].pass }, full: { ...data.steps[chosen].full } };
    choose(chosen);
  });
  choose(chosen);
}

// --- the table
const table = $('students'), body = table.tBodies[0], rows = [...body.rows];
const key = (row, column, kind) => {
  const cell = row.cells[column];
  return kind === 'number' ? Number(cell.dataset.sort) : cell.textContent.trim();
};
const compare = new Intl.Collator('en', { numeric: true }).compare;
table.querySelectorAll('button.sort').forEach((button) => button.addEventListener('click', () => {
  const head = button.closest('th'), column = head.cellIndex, kind = button.dataset.kind;
  const was = head.getAttribute('aria-sort');
  // Numbers are mostly wanted highest first.
  const down = was ? was === 'ascending' : kind === 'number';
  table.querySelectorAll('th[aria-sort]').forEach((th) => th.removeAttribute('aria-sort'));
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const keyed = rows.map((row) => [key(row, column, kind), row]);
  keyed.sort(kind === 'number' ? (a, b) => a[0] - b[0] : (a, b) => compare(a[0], b[0]));
  if (down) keyed.reverse();
  body.append(...keyed.map((k) => k[1]));
}));

const verdicts = [...new Set(data.students.flatMap((s) => s.steps.map((one) => one && one.v)))].filter(Boolean).sort();
verdicts.forEach((v) => $('verdict').add(new Option(v, v)));
const texts = rows.map((row) => row.textContent.toLowerCase());
function filter() {
  const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean), verdict = $('verdict').value;
  let shown = 0;
  rows.forEach((row, i) => {
    const student = data.students[Number(row.dataset.index)];
    const yes = words.every((w) => texts[i].includes(w)) && (!verdict || student.steps.some((one) => one && one.v === verdict));
    row.hidden = !yes;
    shown += yes;
  });
  $('shown').textContent = shown + ' of ' + rows.length + ' shown';
}
$('filter').addEventListener('input', filter);
$('verdict').addEventListener('change', filter);
filter();
