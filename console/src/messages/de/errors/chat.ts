import type { ErrorMessages } from '../../error-messages.ts'

/** Errors of chats, conversations, uploaded files and instructions. */
export default {
  chat: {
    busy: 'In diesem Chat wird noch eine Antwort geschrieben. Halten Sie sie an, oder warten Sie, bis sie vollständig ist.',
    elsewhere:
      'Diese Antwort schreibt ein anderer Serverprozess. Laden Sie den Chat neu, wenn sie vollständig ist, oder bitten Sie den Betreiber, REDIS_URL zu setzen.',
    message_not_found: 'Diese Nachricht wurde nicht gefunden.',
    no_target: 'Wählen Sie ein Modell oder einen Agenten.',
    not_found: 'Dieser Chat wurde nicht gefunden.',
    not_streaming: 'In diesem Chat wird gerade keine Antwort geschrieben. Senden Sie eine Nachricht.',
    parent_not_reply:
      'Die Antwort, auf die diese Nachricht folgt, ist nicht mehr in diesem Chat. Laden Sie die Seite neu.',
    search_empty: 'Geben Sie mindestens ein Wort ohne Minuszeichen ein.',
  },
  conversation: {
    full: 'Eine Unterhaltung kann höchstens {limit, plural, one {# Sitzung} other {# Sitzungen}} haben. Erstellen Sie eine andere Unterhaltung.',
    not_found: 'Diese Unterhaltung wurde nicht gefunden.',
    session_busy:
      'In dieser Sitzung wird noch eine Antwort geschrieben. Halten Sie sie an, oder warten Sie, bis sie vollständig ist.',
    session_not_found: 'Diese Sitzung der Unterhaltung wurde nicht gefunden.',
  },
  file: {
    link_invalid: 'Dieser Link ist ungültig oder abgelaufen. Öffnen Sie die Datei erneut.',
    not_found: 'Diese Datei wurde nicht gefunden.',
  },
  instruction: {
    name_taken: 'Sie haben bereits eine Anweisung mit diesem Namen. Wählen Sie einen anderen Namen.',
    not_found: 'Diese Anweisung wurde nicht gefunden.',
  },
  upload: {
    chat_full:
      'Ein Chat kann höchstens {limit, plural, one {# Datei} other {# Dateien}} haben. Löschen Sie zuerst eine.',
    empty: 'Die Datei ist leer. Wählen Sie eine andere Datei.',
    image_too_large:
      '{name} ist zu groß für ein Modell. Ein Bild darf höchstens {size} groß sein. Verkleinern Sie es.',
    images_too_large:
      'Die Bilder einer Nachricht dürfen zusammen höchstens {size} groß sein. Entfernen oder verkleinern Sie Bilder.',
    encoding:
      'Die Kodierung {encoding} wird nicht unterstützt. Verwenden Sie einen Namen wie utf-8, windows-1251, gbk, shift_jis oder big5.',
    old_office:
      'Dokumente von Office 97-2003 (DOC, XLS, PPT) werden nicht unterstützt. Speichern Sie dieses als DOCX, XLSX oder PPTX, und laden Sie es erneut hoch.',
    no_text:
      'Dateien dieses Typs enthalten keinen Text. Verwenden Sie PDF, TXT, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML, CSV oder MD.',
    not_audio: 'Verwenden Sie für Aufnahmen MP3, WAV, M4A, OGG, FLAC oder WebM.',
    not_found: 'Diese Datei wurde nicht gefunden.',
    quota: 'Diese Organisation kann höchstens {size} speichern. Löschen Sie Dateien, Texte oder Chats.',
    too_many_images:
      'Eine Nachricht kann höchstens {limit, plural, one {# Bild} other {# Bilder}} haben. Entfernen Sie einige.',
    type: 'Dateien dieses Typs werden nicht unterstützt. Dokumente: PDF, TXT, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML, CSV, MD; Bilder: JPG, PNG, GIF, WebP, SVG; Audio: MP3, WAV, M4A, OGG, FLAC; Video: MP4, WebM, MOV, AVI.',
  },
} satisfies ErrorMessages
