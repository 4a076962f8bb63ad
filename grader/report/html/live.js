// Loads a page of a service again when an event says that there is a newer one, unless somebody has changed something on it.
'use strict';
{
  const { live } = JSON.parse(document.getElementById('data').textContent);
  const events = new EventSource(live.events);
  let changed = false;
  const load = () => { if (!changed) { events.close(); location.reload(); } };
  document.addEventListener('input', () => { changed = true; });
  events.addEventListener('board', (event) => { if (event.data !== live.version) load(); });
  // A broken connection is opened again by the browser itself. A refusal, as when too many pages listen, is final.
  events.addEventListener('error', () => { if (events.readyState === EventSource.CLOSED) setTimeout(load, 10000); });
}
