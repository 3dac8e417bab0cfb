// What the sessions in a browser check at their start, so that they end at once, and say what is missing
// and where to get it.
import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import path from 'node:path';

/// Prints the lines and ends the process.
export function stop(...lines) {
  console.error(`${path.basename(process.argv[1])}: ${lines.join('\n')}`);
  process.exit(2);
}

/// Ends the process unless every argument that the usage names is there.
export function needArguments(usage, n) {
  if (process.argv.length < 2 + n) {
    stop('arguments are missing', `usage: ${usage}`);
  }
}

export function needProgram(file, how) {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    stop(`there is no program ${file}`, how);
  }
}

export function needFile(file, how) {
  if (!existsSync(file)) {
    stop(`there is no ${file}`, how);
  }
}

/// A package of a folder `node_modules`.
export function load(modules, name) {
  const how = `npm ci in ${path.dirname(path.resolve(modules))} installs it`;
  needFile(path.join(modules, name), how);
  try {
    return createRequire(path.join(path.resolve(modules), 'x'))(name);
  } catch (error) {
    return stop(`${path.join(modules, name)} cannot be loaded: ${error.message.split('\n')[0]}`, how);
  }
}

/// Starts the browser, of playwright-core in `modules`.
export async function launch(modules) {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const { chromium } = load(modules, 'playwright-core');
  needProgram(executablePath, 'apt-get install chromium installs it, CHROMIUM=PATH chooses another');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/// A port that nothing uses, or the wanted one if it is free.
export function freePort(wanted = 0) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => stop(`port ${wanted} cannot be used: ${error.code}`, 'PORT=NUMBER chooses another'));
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/// Never fulfilled; rejected when the process ends or does not start.
export function endOf(child, name) {
  const ended = new Promise((_, reject) => {
    child.once('error', (error) => reject(new Error(`${name} does not start: ${error.message}`)));
    child.once('exit', (code, signal) => reject(new Error(`${name} ended with ${signal ?? `exit status ${code}`}`)));
  });
  ended.catch(() => {});
  return ended;
}
