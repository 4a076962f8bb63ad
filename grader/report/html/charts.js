// What the charts of all pages share. Data come from the page alone, in the element #data.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const charts = [];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const seriesColour = (i) => css('--series-' + (i % 6 + 1));
const shapes = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'crossRot'];
const number = (v) => v === null || v === undefined ? '–' : Math.abs(v) >= 1000 ? Math.round(v).toLocaleString('en-US').replace(/,/g, '\u202f')
  : Number(v.toPrecision(3)).toString();

// make() gives a fresh configuration, so that a chart can be drawn again in other colours.
function draw(id, make) {
  const canvas = document.getElementById(id);
  if (!canvas) return null;
  const entry = { canvas, make, chart: null };
  entry.redraw = () => {
    Chart.defaults.color = css('--faint');
    Chart.defaults.borderColor = css('--line');
    Chart.defaults.font.family = 'system-ui, "Liberation Sans", sans-serif';
    Chart.defaults.animation = false;
    if (entry.chart) entry.chart.destroy();
    entry.chart = new Chart(canvas, make());
  };
  entry.redraw();
  charts.push(entry);
  return entry;
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach((c) => c.redraw()));
const openForPrint = [];
function preparePrint() {
  document.querySelectorAll('details:not([open])').forEach((d) => { d.open = true; openForPrint.push(d); });
  charts.forEach((c) => c.redraw());
}
function afterPrint() {
  openForPrint.splice(0).forEach((d) => { d.open = false; });
  charts.forEach((c) => c.redraw());
}
matchMedia('print').addEventListener('change', (e) => e.matches ? preparePrint() : afterPrint());

// Lines across a chart: {axis: 'x' or 'y', value, label, dash}.
const lines = (list) => ({
  id: 'lines',
  afterDatasetsDraw(chart) {
    const { ctx, chartArea: area, scales } = chart;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = css('--ink');
    ctx.font = '12px system-ui, "Liberation Sans", sans-serif';
    list().forEach((l, i) => {
      const at = scales[l.axis].getPixelForValue(l.value);
      ctx.setLineDash(l.dash || [5, 4]);
      ctx.beginPath();
      if (l.axis === 'x') { ctx.moveTo(at, area.top); ctx.lineTo(at, area.bottom); }
      else { ctx.moveTo(area.left, at); ctx.lineTo(area.right, at); }
      ctx.stroke();
      if (l.axis === 'x') {
        const right = at + 4 + ctx.measureText(l.label).width > area.right;
        ctx.textAlign = right ? 'right' : 'left';
        ctx.fillText(l.label, at + (right ? -4 : 4), area.top + 12 + 14 * i);
      } else ctx.fillText(l.label, area.left + 4, at - 4);
    });
    ctx.restore();
  },
});
