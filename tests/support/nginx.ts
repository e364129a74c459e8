import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from './free-port.ts'

const START_TIMEOUT_MS = 60_000
const POLL_INTERVAL_MS = 20

/** Returns the path of `nginx`, or undefined if it isn't installed. */
export function findNginx(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, 'nginx')).find((program) => existsSync(program))
}

/** Starts an nginx that distributes requests to these ports in turn, as docs/processes.md configures it. */
export async function startNginx(ports: number[]): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-nginx-'))
  const port = await findFreePort()
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    file,
    `${user} daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
    events { worker_connections 1024; }
    http {
      access_log off; ${temporary.join(' ')}
      upstream parley { ${ports.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join(' ')} }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://parley; proxy_http_version 1.1; proxy_buffering off; proxy_read_timeout 1h;
          proxy_set_header Host $host; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection;
        }
      }
    }`,
  )
  const child = spawn(findNginx() ?? 'nginx', ['-p', folder, '-c', file], { stdio: 'ignore' })
  const killChild = (): void => void child.kill('SIGTERM')
  process.once('exit', killChild)
  for (const deadline = Date.now() + START_TIMEOUT_MS; !(await answers(port)); ) {
    if (child.exitCode !== null || Date.now() > deadline) {
      killChild()
      throw new Error('nginx does not start')
    }
    await sleep(POLL_INTERVAL_MS)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      process.off('exit', killChild)
      killChild()
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/healthz`).then(
    () => true,
    () => false,
  )
