// Loads the leaderboard of a service again when an event says that there is a newer one.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const events = new EventSource(data.events);
const load = () => { events.close(); location.reload(); };
events.addEventListener('board', (event) => { if (event.data !== data.version) load(); });
// A broken connection is opened again by the browser itself. A refusal, as when too many pages listen, is final.
events.addEventListener('error', () => { if (events.readyState === EventSource.CLOSED) setTimeout(load, 10000); });
