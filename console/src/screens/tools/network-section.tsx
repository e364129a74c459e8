import { Plus, X } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import type { ToolPart } from './tool-part.ts'

const t = translator('tools')

const HOSTS_MAX = 20

export function NetworkSection({ tool: { settings }, edit }: ToolPart) {
  const { network } = settings
  const set = (hosts: string[]) => edit({ settings: { ...settings, network: hosts } })
  return (
    <Section title={t('network.title')} description={t('network.hint')}>
      {network.length === 0 && <p className="text-sm text-muted">{t('network.empty')}</p>}
      {network.map((host, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: hosts change while they are typed
        <div key={place} className="flex items-end gap-2">
          <div className="min-w-0 grow">
            <TextField
              label={t('network.host', { number: place + 1 })}
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
            label={t('network.remove', { host: host || String(place + 1) })}
            onClick={() => set(network.toSpliced(place, 1))}
          />
        </div>
      ))}
      <div>
        <Button
          size="small"
          icon={Plus}
          disabled={network.length >= HOSTS_MAX}
          onClick={() => set([...network, ''])}
        >
          {t('network.add')}
        </Button>
      </div>
    </Section>
  )
}
