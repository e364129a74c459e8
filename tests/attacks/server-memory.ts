import { readFileSync } from 'node:fs'
import type { Stage } from './stage.ts'

export function memoryOf({ server }: Stage): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
