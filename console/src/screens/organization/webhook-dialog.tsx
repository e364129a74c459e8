import type { Webhook, WebhookWithSecret } from '@parley/client/schemas'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { SecretOnce } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { EVENT_TYPES, type EventType, eventText } from './event-types.ts'

const t = translator('webhooks')

interface WebhookDialogProps {
  /** The webhook to edit. Null to add a webhook. */
  webhook: Webhook | null
  onClose: () => void
}

export function WebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const [added, setAdded] = useState<WebhookWithSecret>()
  const [draft, setDraft] = useState<Draft>({
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    event_types: webhook?.event_types ?? [],
  })
  const save = useSave(webhook, { onAdded: setAdded, onSaved: onClose })
  const submit = () => {
    save.send(draft)
  }
  if (added) return <SecretDialog webhook={added} onClose={onClose} />
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t(webhook ? 'form.edit' : 'form.new')}
      action={t(webhook ? 'form.save' : 'form.add')}
      busy={save.isPending}
      disabled={draft.event_types.length === 0}
      error={save.error}
      onSubmit={submit}
    >
      <Fields draft={draft} onDraft={(change) => setDraft({ ...draft, ...change })} />
    </FormDialog>
  )
}

interface Draft {
  url: string
  description: string
  event_types: EventType[]
}

const Fields = ({ draft, onDraft }: { draft: Draft; onDraft: (change: Partial<Draft>) => void }) => (
  <>
    <TextField
      label={t('form.url')}
      type="url"
      hint={t('form.urlHint')}
      placeholder="https://example.com/parley"
      required
      maxLength={2000}
      value={draft.url}
      onChange={({ target }) => onDraft({ url: target.value })}
    />
    <TextField
      label={t('form.description')}
      maxLength={500}
      value={draft.description}
      onChange={({ target }) => onDraft({ description: target.value })}
    />
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-sm font-medium">{t('form.events')}</legend>
      {EVENT_TYPES.map((type) => (
        <CheckField
          key={type}
          label={<code className="font-mono break-all">{type}</code>}
          hint={eventText(type)}
          checked={draft.event_types.includes(type)}
          onChange={({ target }) =>
            onDraft({
              event_types: target.checked
                ? [...draft.event_types, type]
                : draft.event_types.filter((one) => one !== type),
            })
          }
        />
      ))}
    </fieldset>
  </>
)

function useSave(
  webhook: Webhook | null,
  { onAdded, onSaved }: { onAdded: (added: WebhookWithSecret) => void; onSaved: () => void },
) {
  const { organization } = useHere()
  const notify = useNotify()
  const outdates = ['GET /api/webhooks/list'] as const
  const create = useChange('POST /api/webhooks/create', { outdates, onDone: onAdded })
  const update = useChange('PUT /api/webhooks/update', {
    outdates,
    onDone: () => {
      notify(t('form.saved'))
      onSaved()
    },
  })
  return {
    isPending: create.isPending || update.isPending,
    error: create.error ?? update.error,
    send: (body: Draft) => {
      if (webhook) update.mutate({ query: { webhook_id: webhook.id }, body })
      else create.mutate({ query: { org_id: organization.id }, body })
    },
  }
}

export const SecretDialog = ({
  webhook,
  note,
  onClose,
}: {
  webhook: WebhookWithSecret
  note?: string
  onClose: () => void
}) => (
  <Dialog
    open
    onClose={onClose}
    title={t('secret.title')}
    description={note}
    actions={
      <Button kind="primary" onClick={onClose}>
        {t('secret.done')}
      </Button>
    }
  >
    <SecretOnce secret={webhook.secret} />
    <p className="text-sm text-muted">{t('secret.usage')}</p>
  </Dialog>
)
