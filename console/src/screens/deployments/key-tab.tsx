import type { Deployment } from '@parley/client/schemas'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { SecretOnce } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'

const t = translator('deployments')

export function KeyTab({ deployment }: { deployment: Deployment }) {
  const { may } = useHere()
  const confirm = useConfirm()
  const [key, setKey] = useState<string>()
  const renew = useChange('POST /api/agent_deploy/regenerate_key', {
    outdates: ['GET /api/agent_deploy/get', 'GET /api/agent_deploy/list'],
    onDone: ({ api_key }) => setKey(api_key),
  })
  const ask = async () => {
    const isSure = await confirm({
      title: t('key.question'),
      consequence: t('key.consequence'),
      action: t('key.regenerate'),
    })
    if (isSure) renew.mutate({ query: { deployment_id: deployment.id } })
  }
  return (
    <Section
      title={t('key.title')}
      description={t('key.description')}
      actions={
        may('agent:write') && (
          <Button icon={RefreshCw} busy={renew.isPending} onClick={() => void ask()}>
            {t('key.regenerate')}
          </Button>
        )
      }
    >
      {key === undefined ? (
        <p className="text-sm">
          {t.rich('key.current', {
            start: deployment.api_key_prefix,
            prefix: (text) => <code className="font-mono">{text}</code>,
          })}
        </p>
      ) : (
        <SecretOnce secret={key} />
      )}
      {renew.error && <Failure error={renew.error} />}
      {!may('agent:write') && <p className="text-sm text-muted">{t('key.notAllowed')}</p>}
    </Section>
  )
}
