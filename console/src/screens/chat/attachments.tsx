import { X } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Bar } from '../../ui/bar.tsx'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { errorText } from '../../ui/error-text.ts'
import { type Attachment, detach } from './drafts.ts'
import { FileName } from './files.tsx'

const t = translator('chat')

export function Attachments({ place, attachments }: { place: string; attachments: readonly Attachment[] }) {
  const { organization } = useHere()
  if (attachments.length === 0) return null
  return (
    <ul aria-label={t('attachments.label')} className="flex max-h-48 flex-wrap gap-2 overflow-y-auto p-1">
      {attachments.map((attachment) => (
        <li
          key={attachment.key}
          className={classNames(
            'relative flex max-w-full items-center gap-1 overflow-hidden rounded-xl border pr-1',
            attachment.error === null ? 'border-line' : 'border-danger bg-danger-soft',
          )}
        >
          <Shown attachment={attachment} />
          <IconButton
            small
            icon={X}
            label={t('attachments.remove', { name: attachment.name })}
            onClick={() => detach(place, organization.id, attachment)}
          />
          {attachment.upload === null && attachment.error === null && (
            <div
              role="progressbar"
              aria-label={t('attachments.uploading', { name: attachment.name })}
              aria-valuenow={attachment.progress === null ? undefined : Math.round(attachment.progress * 100)}
              className={classNames('absolute inset-x-0 bottom-0', attachment.progress === null && 'shimmer')}
            >
              <Bar share={attachment.progress ?? 1} />
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function Shown({ attachment: { name, preview, error, upload } }: { attachment: Attachment }) {
  if (error !== null)
    return (
      <p role="alert" className="min-w-0 px-3 py-1.5 text-sm text-danger wrap-anywhere">
        {t('attachments.refused', { name, reason: errorText(error) })}
      </p>
    )
  if (preview) return <img src={preview} alt={name} title={name} className="size-14 object-cover" />
  return (
    <span className="flex min-w-0 flex-col">
      <FileName name={name} {...(upload && { size: upload.size })} />
      {upload?.text_error && <span className="px-3 pb-1.5 text-xs text-warning">{upload.text_error}</span>}
    </span>
  )
}
