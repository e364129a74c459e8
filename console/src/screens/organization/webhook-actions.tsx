import type { Webhook, WebhookDelivery, WebhookWithSecret } from '@parley/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, KeyRound, Pencil, Power, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { SecretDialog, WebhookDialog } from './webhook-dialog.tsx'

const OUTDATES = ['GET /api/webhooks/list', 'GET /api/webhooks/deliveries'] as const

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const notify = useNotify()
  const [isEditing, setEditing] = useState(false)
  const [rotated, setRotated] = useState<WebhookWithSecret>()
  const query = { webhook_id: webhook.id }
  const test = useChange('POST /api/webhooks/test', {
    outdates: OUTDATES,
    onDone: (delivery) => notify(outcomeOf(delivery)),
  })
  const enabling = useSwitch(webhook)
  return (
    <>
      {webhook.is_enabled ? (
        <Button icon={Send} busy={test.isPending} onClick={() => test.mutate({ query }, { onError: notify })}>
          Send a test
        </Button>
      ) : (
        <Button kind="primary" icon={Power} busy={enabling.isPending} onClick={enabling.flip}>
          Enable again
        </Button>
      )}
      <WebhookMenu
        webhook={webhook}
        onEdit={() => setEditing(true)}
        onRotated={setRotated}
        onDisable={webhook.is_enabled ? enabling.flip : undefined}
      />
      {isEditing && <WebhookDialog webhook={webhook} onClose={() => setEditing(false)} />}
      {rotated && (
        <SecretDialog
          webhook={rotated}
          note="The secret before signs beside it for 24 hours, so that there is time to change it."
          onClose={() => setRotated(undefined)}
        />
      )}
    </>
  )
}

interface WebhookMenuProps {
  webhook: Webhook
  onEdit: () => void
  onRotated: (webhook: WebhookWithSecret) => void
  onDisable: (() => void) | undefined
}

function WebhookMenu({ webhook, onEdit, onRotated, onDisable }: WebhookMenuProps) {
  const confirm = useConfirm()
  const notify = useNotify()
  const navigate = useNavigate()
  const query = { webhook_id: webhook.id }
  const rotation = useChange('POST /api/webhooks/rotate_secret', { outdates: OUTDATES, onDone: onRotated })
  const removal = useChange('DELETE /api/webhooks/delete', {
    outdates: ['GET /api/webhooks/list'],
    onDone: () => {
      notify('The webhook is deleted')
      void navigate({ to: '/webhooks' })
    },
  })
  const rotate = async () => {
    const consequence =
      'You get a new secret. The one of now signs beside it for 24 hours, the one before it no more.'
    if (await confirm({ title: 'Make a new secret?', consequence, action: 'Make a new secret' }))
      rotation.mutate({ query }, { onError: notify })
  }
  const remove = async () => {
    const consequence = `${webhook.url} hears of nothing any more, and the list of its deliveries is gone.`
    if (await confirm({ title: 'Delete the webhook?', consequence, action: 'Delete' }))
      removal.mutate({ query }, { onError: notify })
  }
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label="More actions" />}>
      <MenuItem icon={Pencil} onSelect={onEdit}>
        Edit
      </MenuItem>
      <MenuItem icon={KeyRound} onSelect={() => void rotate()}>
        New secret
      </MenuItem>
      {onDisable && (
        <MenuItem icon={Power} onSelect={onDisable}>
          Disable
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem danger icon={Trash2} onSelect={() => void remove()}>
        Delete
      </MenuItem>
    </Menu>
  )
}

function useSwitch(webhook: Webhook) {
  const confirm = useConfirm()
  const notify = useNotify()
  const change = useChange('PUT /api/webhooks/update', {
    outdates: OUTDATES,
    onDone: ({ is_enabled }) => notify(is_enabled ? 'The webhook is enabled' : 'The webhook is disabled'),
  })
  const flip = async () => {
    const consequence = 'What waits to be sent to it has failed then. It can be enabled again.'
    if (webhook.is_enabled && !(await confirm({ title: 'Disable it?', consequence, action: 'Disable' })))
      return
    change.mutate(
      { query: { webhook_id: webhook.id }, body: { is_enabled: !webhook.is_enabled } },
      { onError: notify },
    )
  }
  return { isPending: change.isPending, flip: () => void flip() }
}

function outcomeOf({ status, attempts }: WebhookDelivery): string | { text: string; failed: boolean } {
  const last = attempts.at(-1)
  if (status === 'pending') return 'The test waits until other deliveries have been sent'
  if (status === 'delivered')
    return `The test has arrived: ${last?.response_status} in ${formatNumber(last?.duration_ms ?? 0)} ms`
  return {
    text: `The test has failed: ${last?.error ?? `it answered ${last?.response_status}`}`,
    failed: true,
  }
}
