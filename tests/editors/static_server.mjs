// A host of static files as plain as they come: no compression, no types but those of text, a folder's
// index.html, and a path in front.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png' };

function fileOf(folder, name) {
  const file = path.join(folder, path.normalize(`/${name}`));
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isDirectory() ? path.join(file, 'index.html') : file;
}

/// Where the folder is served, and how many bytes were sent of it.
export async function serveFolder(folder, prefix = '/') {
  const sent = { bytes: 0 };
  const server = createServer((request, response) => {
    const target = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const file = target.startsWith(prefix) ? fileOf(folder, target.slice(prefix.length)) : '';
    const stat = file && statSync(file, { throwIfNoEntry: false });
    if (!stat || !stat.isFile()) {
      response.writeHead(404).end('not found\n');
      return;
    }
    sent.bytes += stat.size;
    response.writeHead(200, { 'Content-Length': stat.size, 'Content-Type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: new URL(encodeURI(prefix), `http://127.0.0.1:${server.address().port}`).href,
    sent,
    stop: () => server.close(),
  };
}
