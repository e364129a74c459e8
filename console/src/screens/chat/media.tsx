import type { ReplyMedia } from '@parley/client'
import type { Media } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { Bar } from '../../ui/bar.tsx'

const t = translator('chat')

/** A reply's images and videos, and the progress of an image or video that is being generated. */
export const MediaMade = ({ media, progress }: { media: readonly Media[]; progress: ReplyMedia | null }) => (
  <>
    {progress?.status === 'generating' && (
      <div
        role="status"
        className="flex max-w-sm flex-col gap-2 rounded-xl border border-line bg-surface p-4"
      >
        <p className="text-sm text-muted">
          {t('media.generating', { type: progress.type, share: progress.progress })}
        </p>
        <Bar share={progress.progress} />
      </div>
    )}
    {media.map(({ type, url }) =>
      type === 'image' ? (
        <a key={url} href={url} target="_blank" rel="noopener noreferrer" className="self-start">
          <img
            src={url}
            alt={t('media.image')}
            className="max-h-96 max-w-full rounded-xl border border-line"
          />
        </a>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: generated videos have no speech
        <video
          key={url}
          src={url}
          controls
          aria-label={t('media.video')}
          className="max-h-96 max-w-full self-start rounded-xl border border-line"
        />
      ),
    )}
  </>
)
