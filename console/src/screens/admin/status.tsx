import type { InstallationStatus } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, RefreshCw, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { Table, TableSkeleton } from '../../ui/table.tsx'

const t = translator('admin')

/** Whether mail, storage, providers and background jobs work at the moment. */
export function Status() {
  const status = useQuery(read('GET /api/installation/status', {}))
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted">{t('status.description')}</p>
        <Button icon={RefreshCw} busy={status.isFetching} onClick={() => void status.refetch()}>
          {t('status.refresh')}
        </Button>
      </div>
      <Loaded query={status} skeleton={<ServicesSkeleton />}>
        {(found) => <Services status={found} />}
      </Loaded>
    </>
  )
}

const ServicesSkeleton = () => (
  <>
    <Skeleton className="h-25" />
    <Skeleton className="h-25" />
    <Skeleton className="h-30" />
    <Skeleton className="h-[1lh] w-40" />
    <TableSkeleton columns={3} rows={5} />
  </>
)

const Services = ({ status }: { status: InstallationStatus }) => (
  <>
    <Section title={t('status.mail')}>
      <Mail mail={status.mail} queue={status.queues.find(({ name }) => name === 'mail')} />
    </Section>
    <Section title={t('status.storage')}>
      <Storage storage={status.storage} />
    </Section>
    <Section title={t('status.providers')} description={t('status.providersHint')}>
      {status.providers.map((provider) => (
        <Provider key={provider.provider} provider={provider} />
      ))}
    </Section>
    <section aria-labelledby="queues" className="flex flex-col gap-3">
      <h2 id="queues" className="font-semibold">
        {t('status.queues')}
      </h2>
      <Table
        label={t('status.queues')}
        rows={status.queues}
        keyOf={({ name }) => name}
        columns={[
          { header: t('status.queue'), cell: ({ name }) => queueText(name) },
          { header: t('status.waiting'), cell: ({ waiting }) => formatNumber(waiting), numeric: true },
          {
            header: t('status.failed'),
            cell: ({ failed }) => (
              <span className={failed > 0 ? 'text-danger' : undefined}>{formatNumber(failed)}</span>
            ),
            numeric: true,
          },
        ]}
      />
    </section>
  </>
)

interface MailProps {
  mail: InstallationStatus['mail']
  queue: InstallationStatus['queues'][number] | undefined
}

function Mail({ mail: { server, from, error }, queue }: MailProps) {
  if (server === null) return <Line tone="warning">{t('status.noMail')}</Line>
  return (
    <>
      {error === null ? (
        <Line tone="success">{t('status.mailWorks', { server, from })}</Line>
      ) : (
        <Line tone="danger">{t('status.mailFails', { server, reason: error })}</Line>
      )}
      {queue && queue.failed > 0 && (
        <Line tone="danger">{t('status.mailFailed', { count: queue.failed })}</Line>
      )}
    </>
  )
}

function Storage({ storage: { kind, place, error } }: { storage: InstallationStatus['storage'] }) {
  if (error !== null) return <Line tone="danger">{t('status.storageFails', { place, reason: error })}</Line>
  return <Line tone="success">{t(kind === 'bucket' ? 'status.bucket' : 'status.folder', { place })}</Line>
}

function Provider({ provider: { provider, models, failing, error } }: ProviderProps) {
  if (provider === 'demo') return <Line tone="warning">{t('status.noProvider')}</Line>
  if (models === 0) return <Line tone="danger">{t('status.noModels', { provider })}</Line>
  return failing === 0 ? (
    <Line tone="success">{t('status.providerWorks', { provider, count: models })}</Line>
  ) : (
    <Line tone={failing === models ? 'danger' : 'warning'}>
      {t('status.providerFails', { provider, failing, count: models, reason: error ?? '' })}
    </Line>
  )
}

interface ProviderProps {
  provider: InstallationStatus['providers'][number]
}

const ICONS = { success: CircleCheck, warning: TriangleAlert, danger: CircleAlert }
const COLORS = { success: 'text-success', warning: 'text-warning', danger: 'text-danger' }

function Line({ tone, children }: { tone: keyof typeof ICONS; children: ReactNode }) {
  const Icon = ICONS[tone]
  return (
    <p className="flex items-start gap-2.5 text-sm">
      <Icon aria-label={t(`status.tone.${tone}`)} size={17} className={`mt-0.5 shrink-0 ${COLORS[tone]}`} />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  )
}

const QUEUES = ['mail', 'password-reset', 'kb-reading', 'kb-indexing', 'kb-evaluations'] as const

/** Returns a queue's name in words, or its technical name if this version of the console does not know it. */
function queueText(name: string): string {
  const known = QUEUES.find((one) => one === name)
  return known ? t(`status.queueNames.${known}`) : name
}
