'use strict';
if (data.ladder) draw('ladder', () => {
  const rungs = data.ladder;
  return {
    type: 'bar',
    data: {
      labels: rungs.map((r) => r.step),
      datasets: [{ label: data.unit, data: rungs.map((r) => r.gflops), barPercentage: .7,
        backgroundColor: rungs.map((r) => r.cublas ? css('--line') : seriesColour(0)), borderColor: css('--ink'), borderWidth: rungs.map((r) => r.cublas ? 1 : 0) }],
    },
    options: {
      indexAxis: 'y', maintainAspectRatio: false,
      scales: { x: { title: { display: true, text: data.unit }, beginAtZero: true }, y: { grid: { display: false } } },
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: (c) => {
        const r = rungs[c.dataIndex];
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
          [['pass', []], ['full', [3, 2]]].forEach(([key, dash]) => {
            if (!r[key]) return;
            const x = scales.x.getPixelForValue(r[key]);
            ctx.setLineDash(dash);
            ctx.beginPath();
            ctx.moveTo(x, bar.y - bar.height / 2 - 4); ctx.lineTo(x, bar.y + bar.height / 2 + 4);
            ctx.stroke();
          });
          ctx.fillText(number(r.gflops) + (r.of_cublas ? '  (' + Math.round(r.of_cublas * 100) + ' %)' : ''),
            Math.min(Math.max(bar.x, r.full ? scales.x.getPixelForValue(r.full) : 0, r.pass ? scales.x.getPixelForValue(r.pass) : 0) + 8, chart.chartArea.right - 80), bar.y + 4);
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
      label: s.step, data: s.points, parsing: { xAxisKey: 'x', yAxisKey: 'y' }, borderColor: s.cublas ? css('--faint') : seriesColour(i),
      backgroundColor: s.cublas ? css('--faint') : seriesColour(i), borderDash: s.cublas ? [6, 4] : [], borderWidth: 2, tension: 0,
      pointStyle: s.points.map((p) => p.dip ? 'triangle' : shapes[i % 2]), pointRadius: s.points.map((p) => p.dip ? 9 : 3),
      pointRotation: s.points.map((p) => p.dip ? 180 : 0), pointBackgroundColor: s.points.map((p) => p.dip ? css('--bad') : s.cublas ? css('--faint') : seriesColour(i)),
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

if (data.roofline) draw('roofline', () => {
  const r = data.roofline;
  const roof = (x) => Math.min(r.peak, r.bandwidth * x);
  const xs = r.points.flatMap((p) => [p.requested, p.compulsory]).filter((x) => x > 0).concat(r.peak / r.bandwidth * 8, r.peak / r.bandwidth / 8);
  const least = 10 ** Math.floor(Math.log10(Math.min(...xs)) - .1), most = 10 ** Math.ceil(Math.log10(Math.max(...xs)));
  const at = (p, x) => p.gflops || roof(x);
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
          data: [['asked for', p.requested], ['at best', p.compulsory]].filter(([, x]) => x > 0).map(([what, x]) => ({ x, y: at(p, x), what, measured: !!p.gflops, roof: roof(x) })),
          pointStyle: shapes[i % 4], pointRadius: 7, pointHoverRadius: 9, pointBorderWidth: 2,
          pointBackgroundColor: (c) => c.raw && c.raw.what === 'asked for' ? css('--paper') : seriesColour(i),
          backgroundColor: seriesColour(i),
        })),
      ],
    },
    options: {
      maintainAspectRatio: false,
      scales: { x: log('flops per byte', least, most), y: log('GFLOPS', 10 ** Math.floor(Math.log10(lowest)), 10 ** Math.ceil(Math.log10(r.peak * 1.01))) },
      plugins: {
        legend: { labels: { usePointStyle: true, filter: (l) => l.text !== 'roof' } },
        tooltip: { filter: (c) => c.datasetIndex > 0, callbacks: { label: (c) => c.dataset.label + ' (' + c.raw.what + '): ' + number(c.raw.x) + ' flops a byte, ' +
          (c.raw.measured ? number(c.raw.y) + ' GFLOPS measured, ' + Math.round(c.raw.y / c.raw.roof * 100) + ' % of the roof there' : 'roof ' + number(c.raw.y) + ' GFLOPS') } },
      },
    },
  };
});
