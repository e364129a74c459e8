import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import type { ToolPart } from './tool-part.ts'

const HOSTS_MAX = 20

/** The hosts that the code may reach. */
export function NetworkSection({ tool: { settings }, edit }: ToolPart) {
  const { network } = settings
  const set = (hosts: string[]) => edit({ settings: { ...settings, network: hosts } })
  return (
    <Section title="Network" description="The code reaches these hosts, and no others.">
      {network.length === 0 && <p className="text-sm text-muted">None: it reaches nothing.</p>}
      {network.map((host, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a host is what is typed here
        <div key={place} className="flex items-end gap-2">
          <div className="min-w-0 grow">
            <TextField
              label={`Host ${place + 1}`}
              required
              maxLength={260}
              placeholder="api.example.com"
              spellCheck={false}
              autoCapitalize="none"
              className="font-mono text-sm"
              value={host}
              onChange={({ target }) => set(network.with(place, target.value.trim()))}
            />
          </div>
          <IconButton
            icon={X}
            label={`Remove ${host || `host ${place + 1}`}`}
            onClick={() => set(network.toSpliced(place, 1))}
          />
        </div>
      ))}
      <div>
        {' '}
        <Button
          size="small"
          icon={Plus}
          disabled={network.length >= HOSTS_MAX}
          onClick={() => set([...network, ''])}
        >
          Add a host
        </Button>
      </div>
    </Section>
  )
}
