import type { Webhook, WebhookDelivery, WebhookWithSecret } from '@parley/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, KeyRound, Pencil, Power, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { SecretDialog, WebhookDialog } from './webhook-dialog.tsx'

const t = translator('webhooks')

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
          {t('actions.test')}
        </Button>
      ) : (
        <Button kind="primary" icon={Power} busy={enabling.isPending} onClick={enabling.flip}>
          {t('actions.enable')}
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
        <SecretDialog webhook={rotated} note={t('actions.rotated')} onClose={() => setRotated(undefined)} />
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
      notify(t('actions.deleted'))
      void navigate({ to: '/webhooks' })
    },
  })
  const rotate = async () => {
    const isSure = await confirm({
      title: t('actions.rotateTitle'),
      consequence: t('actions.rotateConsequence'),
      action: t('actions.rotate'),
    })
    if (isSure) rotation.mutate({ query }, { onError: notify })
  }
  const remove = async () => {
    const isSure = await confirm({
      title: t('actions.deleteTitle'),
      consequence: t('actions.deleteConsequence', { url: webhook.url }),
      action: t('actions.delete'),
    })
    if (isSure) removal.mutate({ query }, { onError: notify })
  }
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={t('actions.more')} />}>
      <MenuItem icon={Pencil} onSelect={onEdit}>
        {t('actions.edit')}
      </MenuItem>
      <MenuItem icon={KeyRound} onSelect={() => void rotate()}>
        {t('actions.rotate')}
      </MenuItem>
      {onDisable && (
        <MenuItem icon={Power} onSelect={onDisable}>
          {t('actions.disable')}
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem danger icon={Trash2} onSelect={() => void remove()}>
        {t('actions.delete')}
      </MenuItem>
    </Menu>
  )
}

function useSwitch(webhook: Webhook) {
  const confirm = useConfirm()
  const notify = useNotify()
  const change = useChange('PUT /api/webhooks/update', {
    outdates: OUTDATES,
    onDone: ({ is_enabled }) => notify(t(is_enabled ? 'actions.enabled' : 'actions.disabled')),
  })
  const flip = async () => {
    const question = {
      title: t('actions.disableTitle'),
      consequence: t('actions.disableConsequence'),
      action: t('actions.disable'),
    }
    if (webhook.is_enabled && !(await confirm(question))) return
    change.mutate(
      { query: { webhook_id: webhook.id }, body: { is_enabled: !webhook.is_enabled } },
      { onError: notify },
    )
  }
  return { isPending: change.isPending, flip: () => void flip() }
}

function outcomeOf({ status, attempts }: WebhookDelivery): string | { text: string; failed: boolean } {
  const last = attempts.at(-1)
  const httpStatus = String(last?.response_status)
  if (status === 'pending') return t('actions.testPending')
  if (status === 'delivered')
    return t('actions.testDelivered', { status: httpStatus, ms: last?.duration_ms ?? 0 })
  const text = last?.error
    ? t('actions.testFailed', { error: last.error })
    : t('actions.testRejected', { status: httpStatus })
  return { text, failed: true }
}
