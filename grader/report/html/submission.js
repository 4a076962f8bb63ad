'use strict';
if (data.ladder) draw('ladder', () => {
  const rungs = data.ladder;
  return {
    type: 'bar',
    data: {
      labels: rungs.map((r) => r.step),
      datasets: [{ label: data.unit, data: rungs.map((r) => r.gflops), barPercentage: .7,
        backgroundColor: rungs.map((r) => r.library ? css('--line') : seriesColour(0)), borderColor: css('--ink'), borderWidth: rungs.map((r) => r.library ? 1 : 0) },
      { label: 'predicted', data: rungs.map((r) => r.predicted ?? null), grouped: false, barPercentage: .7, backgroundColor: 'transparent' }],
    },
    options: {
      indexAxis: 'y', maintainAspectRatio: false,
      scales: { x: { title: { display: true, text: data.unit }, beginAtZero: true, grace: '15%', suggestedMax: Math.max(0, ...rungs.map((r) => r.high || 0)) }, y: { grid: { display: false } } },
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: (c) => {
        const r = rungs[c.dataIndex];
        if (c.datasetIndex === 1) return 'predicted: ' + number(r.low) + ' to ' + number(r.high) + ' ' + data.unit;
        return number(r.gflops) + ' ' + data.unit + (r.pass ? ', pass ' + number(r.pass) + ', full ' + number(r.full) : '');
      } } } },
    },
    plugins: [{ // a short line on each bar where points begin and where they are complete
      id: 'thresholds',
      afterDatasetsDraw(chart) {
        const { ctx, scales } = chart;
        ctx.save();
        ctx.strokeStyle = ctx.fillStyle = css('--ink');
        ctx.lineWidth = 2;
        ctx.font = '11px system-ui, "Liberation Sans", sans-serif';
        rungs.forEach((r, i) => {
          const bar = chart.getDatasetMeta(0).data[i];
          if (r.predicted) { // hollow and dashed; a line from end to end of the interval
            const from = scales.x.getPixelForValue(0), to = scales.x.getPixelForValue(r.predicted);
            ctx.setLineDash([5, 4]);
            ctx.strokeRect(from, bar.y - bar.height / 2, to - from, bar.height);
            ctx.beginPath();
            ctx.moveTo(scales.x.getPixelForValue(r.low), bar.y); ctx.lineTo(scales.x.getPixelForValue(r.high), bar.y);
            ctx.stroke();
          }
          [['pass', []], ['full', [3, 2]]].forEach(([key, dash]) => {
            if (!r[key]) return;
            const x = scales.x.getPixelForValue(r[key]);
            ctx.setLineDash(dash);
            ctx.beginPath();
            ctx.moveTo(x, bar.y - bar.height / 2 - 4); ctx.lineTo(x, bar.y + bar.height / 2 + 4);
            ctx.stroke();
          });
          ctx.fillText((r.gflops ? number(r.gflops) : number(r.predicted) + ' predicted') + (r.of_library ? '  (' + Math.round(r.of_library * 100) + ' %)' : ''),
            Math.min(Math.max(r.gflops ? bar.x : 0, r.high ? scales.x.getPixelForValue(r.high) : 0, r.full ? scales.x.getPixelForValue(r.full) : 0, r.pass ? scales.x.getPixelForValue(r.pass) : 0) + 8, chart.chartArea.right - (r.gflops ? 80 : 150)), bar.y + 4);
        });
        ctx.restore();
      },
    }],
  };
});

if (data.sizes) draw('sizes', () => ({
  type: 'line',
  data: {
    datasets: data.sizes.map((s, i) => ({
      label: s.step, data: s.points, parsing: { xAxisKey: 'x', yAxisKey: 'y' }, borderColor: s.library ? css('--faint') : seriesColour(i),
      backgroundColor: s.library ? css('--faint') : seriesColour(i), borderDash: s.library ? [6, 4] : [], borderWidth: 2, tension: 0,
      pointStyle: s.points.map((p) => p.dip ? 'triangle' : shapes[i % 2]), pointRadius: s.points.map((p) => p.dip ? 9 : 3),
      pointRotation: s.points.map((p) => p.dip ? 180 : 0), pointBackgroundColor: s.points.map((p) => p.dip ? css('--bad') : s.library ? css('--faint') : seriesColour(i)),
    })),
  },
  options: {
    maintainAspectRatio: false, interaction: { mode: 'nearest', intersect: false },
    scales: { x: { type: 'linear', title: { display: true, text: 'size (m = n = k)' } }, y: { beginAtZero: true, title: { display: true, text: data.unit } } },
    plugins: { legend: { labels: { boxHeight: 1 } }, tooltip: { callbacks: {
      title: (c) => 'size ' + c[0].raw.x, label: (c) => c.dataset.label + ': ' + number(c.raw.y) + ' ' + data.unit + (c.raw.dip ? ', a dip' : ''),
    } } },
  },
}));

// Steps whose points lie on each other (the same intensity, and nothing measured) are drawn as rings around one middle, and
// each place is labelled with the names of its steps.
const near = (a, b, most) => Math.hypot(a.x - b.x, a.y - b.y) < most;
function places(chart) {
  const found = [];
  chart.data.datasets.forEach((set, i) => i > 0 && set.data.forEach((point, n) => {
    const { x, y } = chart.getDatasetMeta(i).data[n], step = set.label, place = found.find((p) => near(p, { x, y }, 8));
    if (!place) found.push({ x, y, steps: [step], radius: 7 });
    else if (!place.steps.includes(step)) { place.steps.push(step); place.radius += 4; }
  }));
  return found;
}
const sharers = (c, sets) => { // how many of these steps have a point where this one is
  const { x, y } = c.chart.scales, at = (p) => ({ x: x.getPixelForValue(p.x), y: y.getPixelForValue(p.y) });
  return !c.raw ? 0 : sets.filter((set) => set !== c.dataset && set.data.some((p) => near(at(p), at(c.raw), 8))).length;
};
const ringRadius = (c) => 7 + 4 * sharers(c, c.chart.data.datasets.slice(1, c.datasetIndex));
const pointShape = (c) => sharers(c, c.chart.data.datasets.slice(1)) ? 'circle' : shapes[(c.datasetIndex - 1) % 4]; // others make no rings
const labels = {
  id: 'labels',
  afterDatasetsDraw(chart) {
    const { ctx, chartArea: area } = chart, all = places(chart), taken = [];
    ctx.save();
    ctx.font = '12px system-ui, "Liberation Sans", sans-serif';
    ctx.textBaseline = 'middle';
    const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const marks = all.map((p) => ({ left: p.x - p.radius, right: p.x + p.radius, top: p.y - p.radius, bottom: p.y + p.radius }));
    chart.labels = all.map((p) => {
      const text = p.steps.join(', '), width = ctx.measureText(text).width, spots = [];
      for (let away = p.radius + 4; away < 120; away += 8) {
        for (const [dx, dy] of [[0, 1], [1, 0], [-1, 0], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]]) {
          const wanted = p.x + (dx > 0 ? away : dx < 0 ? -away - width : -width / 2), top = p.y + dy * (away + 8) - 8;
          const left = dy ? Math.max(area.left, Math.min(wanted, area.right - width)) : wanted;
          spots.push({ left, top, right: left + width, bottom: top + 16, away });
        }
      }
      const free = (s) => s.left >= area.left && s.right <= area.right && s.top >= area.top && s.bottom <= area.bottom &&
        ![...taken, ...marks].some((other) => overlap(s, other));
      const spot = { ...(spots.find(free) || spots[0]), text };
      taken.push(spot);
      if (spot.away > p.radius + 20) { // too far to be seen as its own: with a line
        ctx.strokeStyle = css('--faint');
        ctx.lineWidth = 1;
        ctx.beginPath();
        ctx.moveTo(p.x, p.y); ctx.lineTo((spot.left + spot.right) / 2, (spot.top + spot.bottom) / 2);
        ctx.stroke();
      }
      ctx.strokeStyle = css('--paper');
      ctx.lineWidth = 4;
      ctx.strokeText(text, spot.left, spot.top + 8);
      ctx.fillStyle = css('--ink');
      ctx.fillText(text, spot.left, spot.top + 8);
      return spot;
    });
    ctx.restore();
  },
};

// A mark at a predicted rate has a dashed outline, which Chart.js does not draw itself.
const dashedMarks = {
  id: 'dashedMarks',
  afterDatasetsDraw(chart) {
    const { ctx } = chart;
    ctx.save();
    ctx.lineWidth = 2;
    ctx.setLineDash([4, 3]);
    chart.data.datasets.forEach((set, i) => set.data.forEach((point, n) => {
      if (!point.predicted) return;
      const { x, y, options } = chart.getDatasetMeta(i).data[n];
      ctx.strokeStyle = set.borderColor;
      ctx.beginPath();
      ctx.arc(x, y, options.radius, 0, 2 * Math.PI);
      ctx.stroke();
    }));
    ctx.restore();
  },
};

if (data.roofline) draw('roofline', () => {
  const r = data.roofline;
  const roof = (x) => Math.min(r.peak, r.bandwidth * x);
  const xs = r.points.flatMap((p) => [p.requested, p.compulsory]).filter((x) => x > 0).concat(r.peak / r.bandwidth * 8, r.peak / r.bandwidth / 8);
  const least = 10 ** Math.floor(Math.log10(Math.min(...xs)) - .1), most = 10 ** Math.ceil(Math.log10(Math.max(...xs)));
  const at = (p, x) => p.gflops || p.predicted || roof(x);
  const log = (title, from, to) => ({ type: 'logarithmic', min: from, max: to, title: { display: true, text: title },
    ticks: { autoSkip: false, maxRotation: 0, callback: (v) => Number.isInteger(Math.round(Math.log10(v) * 1e6) / 1e6) ? number(v) : '' } });
  const lowest = Math.min(...r.points.flatMap((p) => [at(p, p.requested || p.compulsory)]), roof(least));
  return {
    type: 'scatter',
    data: {
      datasets: [
        { label: 'roof', type: 'line', data: [least, r.peak / r.bandwidth, most].map((x) => ({ x, y: roof(x) })), borderColor: css('--ink'),
          borderWidth: 2, pointRadius: 0, tension: 0 },
        ...r.points.map((p, i) => ({
          label: p.step, showLine: true, borderColor: seriesColour(i), borderDash: [3, 3], borderWidth: 1.5,
          data: [['requested', p.requested], ['at best', p.compulsory]].filter(([, x]) => x > 0).map(([what, x]) => ({ x, y: at(p, x), what, measured: !!p.gflops, predicted: p.predicted, roof: roof(x) })),
          pointStyle: pointShape, pointRadius: ringRadius, pointHoverRadius: ringRadius, pointBorderWidth: 2,
          pointBackgroundColor: (c) => c.raw && (c.raw.what === 'requested' || c.raw.predicted) ? css('--paper') : seriesColour(i),
          pointBorderColor: (c) => c.raw && c.raw.predicted ? 'transparent' : seriesColour(i),
          backgroundColor: seriesColour(i),
        })),
      ],
    },
    options: {
      maintainAspectRatio: false, interaction: { mode: 'point' },
      scales: { x: log('flops per byte', least, most), y: log('GFLOPS', 10 ** Math.floor(Math.log10(lowest)), 10 ** Math.ceil(Math.log10(r.peak * 1.01))) },
      plugins: {
        legend: { labels: { usePointStyle: true, filter: (l) => l.text !== 'roof', generateLabels: (chart) =>
          Chart.defaults.plugins.legend.labels.generateLabels(chart).map((l) => ({ ...l, strokeStyle: chart.data.datasets[l.datasetIndex].borderColor })) } },
        tooltip: { filter: (c) => c.datasetIndex > 0, callbacks: { label: (c) => c.dataset.label + ' (' + c.raw.what + '): ' + number(c.raw.x) + ' flops per byte, ' +
          (c.raw.measured ? number(c.raw.y) + ' GFLOPS measured, ' + Math.round(c.raw.y / c.raw.roof * 100) + ' % of the roof there'
            : c.raw.predicted ? number(c.raw.y) + ' GFLOPS predicted' : 'roof ' + number(c.raw.y) + ' GFLOPS') } },
      },
    },
    plugins: [dashedMarks, labels],
  };
});

// Which part of the page is being read, for the list of contents.
const entries = [...document.querySelectorAll('.contents a')].map((link) => ({ link, target: document.getElementById(link.hash.slice(1)) }));
function markCurrent() {
  const passed = entries.filter((e) => e.target.getBoundingClientRect().top < innerHeight / 3);
  const current = (passed.length ? passed.at(-1) : entries[0])?.link;
  entries.forEach(({ link }) => link === current ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current'));
}
addEventListener('scroll', markCurrent, { passive: true });
markCurrent();
