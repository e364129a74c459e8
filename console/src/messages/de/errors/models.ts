import type { ErrorMessages } from '../../error-messages.ts'

/** Reasons for failed replies and model calls. */
export default {
  model: {
    address: 'Die Basis-URL ist keine gültige URL. Beginnen Sie sie mit https:// oder http://.',
    broke_off: '{provider} hat die Antwort wegen eines Fehlers abgebrochen. Versuchen Sie es erneut.',
    broke_off_because: '{provider} hat die Antwort wegen eines Fehlers abgebrochen: {details}',
    certificate:
      'Zu {provider} ist keine sichere Verbindung möglich: Das Zertifikat ist ungültig, oder der Anbieter verwendet kein HTTPS. Prüfen Sie die Basis-URL.',
    connection_broke:
      'Die Verbindung zu {provider} wurde während der Antwort unterbrochen. Versuchen Sie es erneut.',
    connection_timeout:
      '{provider} ist nicht erreichbar: Der Verbindungsaufbau hat zu lange gedauert. Versuchen Sie es später erneut.',
    failing: '{provider} bearbeitet zurzeit keine Anfragen. Versuchen Sie es später erneut.',
    forbidden:
      '{provider} erlaubt diesem API-Schlüssel nicht, {model} zu verwenden. Prüfen Sie die Berechtigungen des Schlüssels.',
    imagen:
      'Google erzeugt Bilder nur noch mit Gemini-Modellen, weil Imagen eingestellt wurde. Wählen Sie ein Gemini-Modell.',
    incomplete: '{provider} hat die Antwort beendet, bevor sie vollständig war. Versuchen Sie es erneut.',
    key_forbidden:
      'Der API-Schlüssel darf {model} nicht verwenden. Prüfen Sie die Berechtigungen des Schlüssels.',
    key_refused:
      '{provider} hat den API-Schlüssel abgelehnt. Prüfen Sie den Schlüssel dieses Modells oder dieser Verbindung.',
    key_unsendable:
      'Der API-Schlüssel für {provider} enthält ein unzulässiges Zeichen. Geben Sie den Schlüssel erneut ein.',
    live_sound_only: '{model} akzeptiert nur Live-Audio. Wählen Sie ein Modell, das Aufnahmen akzeptiert.',
    message_too_large:
      'Die Nachricht ist zu groß für {model}. Kürzen Sie sie, oder beginnen Sie einen neuen Chat.',
    misconfigured:
      '{provider} lehnt den API-Schlüssel dieser Installation oder den Namen des Modells ab. Wenden Sie sich an den Support.',
    name_unknown: 'Der Hostname von {provider} kann nicht aufgelöst werden. Prüfen Sie die Basis-URL.',
    no_audio: 'Dieses Modell akzeptiert kein Audio. Wählen Sie ein anderes Modell.',
    no_media:
      '{provider} hat {kind, select, image {kein Bild} video {kein Video} speech {keine Sprache} other {kein Ergebnis}} geliefert. Möglicherweise verstößt die Anfrage gegen die Sicherheitsregeln. Formulieren Sie sie um, und versuchen Sie es erneut.',
    no_media_because:
      '{provider} hat {kind, select, image {kein Bild} video {kein Video} speech {keine Sprache} other {kein Ergebnis}} geliefert ({details}). Möglicherweise verstößt die Anfrage gegen die Sicherheitsregeln. Formulieren Sie sie um, und versuchen Sie es erneut.',
    no_text:
      '{provider} hat keinen Text geliefert. Versuchen Sie es erneut, oder wählen Sie ein anderes Modell.',
    not_a_stream:
      '{provider} hat mit {type} statt mit einem Ereignisstrom geantwortet. Prüfen Sie die Basis-URL.',
    not_an_event:
      '{provider} hat ein Ereignis in einem unerwarteten Format gesendet. Prüfen Sie die Basis-URL.',
    not_embeddings:
      '{provider} hat für diese Texte keine brauchbaren Embeddings geliefert. Wählen Sie ein anderes Modell.',
    not_fetchable: 'Das Ergebnis von {provider} kann nicht heruntergeladen werden. Versuchen Sie es erneut.',
    not_its_format:
      '{provider} hat eine Antwort in einem unerwarteten Format gesendet. Prüfen Sie die Basis-URL.',
    not_media:
      '{provider} hat eine Datei in einem nicht unterstützten Format gesendet. Versuchen Sie es erneut.',
    not_offered:
      'Parley unterstützt {kind, select, image {keine Bildmodelle} video {keine Videomodelle} transcription {keine Transkriptionsmodelle} speech {keine Sprachmodelle für gesprochenen Text} embedding {keine Embedding-Modelle} other {keine solchen Modelle}} von {provider}. Wählen Sie ein Modell eines anderen Anbieters.',
    not_openai:
      '{provider} unterstützt das Format von OpenAI nicht. Wählen Sie ein Modell eines anderen Anbieters.',
    prompt_too_large: 'Der Prompt ist zu groß für {model}. Kürzen Sie ihn.',
    provider_error:
      'Bei {provider} ist ein interner Fehler aufgetreten (Status {status}). Versuchen Sie es später erneut.',
    provider_error_because: 'Bei {provider} ist ein interner Fehler aufgetreten (Status {status}): {details}',
    provider_timeout: '{provider} hat nicht rechtzeitig geantwortet. Versuchen Sie es erneut.',
    rate_limited:
      '{provider} hat die Anfrage abgelehnt, weil ein Limit oder Kontingent erreicht ist. Versuchen Sie es später erneut.',
    recording_too_large: 'Die Aufnahme ist zu groß für {model}. Senden Sie eine kürzere.',
    recording_type:
      'Aufnahmen dieses Typs können nicht transkribiert werden. Senden Sie MP3, WAV, M4A, OGG, FLAC oder WebM.',
    redirect:
      '{provider} hat mit einer Weiterleitung geantwortet. Weiterleitungen werden nicht befolgt. Prüfen Sie die Basis-URL.',
    refused:
      '{provider} hat die Anfrage abgelehnt (Status {status}). Prüfen Sie die Einstellungen dieses Modells.',
    refused_because: '{provider} hat die Anfrage abgelehnt (Status {status}): {details}',
    reply_too_large:
      '{provider} hat eine zu große Antwort gesendet. Fragen Sie nach einem kleineren Ergebnis.',
    reply_too_long: 'Die Antwort hat mehr als {limit, number} Zeichen. Bitten Sie um eine kürzere.',
    text_too_large:
      'Der Text ist zu groß für {model}. Verwenden Sie kleinere Chunks, oder wählen Sie ein anderes Modell.',
    timeout_embedding:
      '{provider} hat den Text nicht innerhalb von {seconds, plural, one {# Sekunde} other {# Sekunden}} eingebettet. Versuchen Sie es erneut.',
    timeout_image:
      '{provider} hat das Bild nicht innerhalb von {seconds, plural, one {# Sekunde} other {# Sekunden}} erzeugt. Versuchen Sie es erneut.',
    timeout_speech:
      '{provider} hat den Text nicht innerhalb von {seconds, plural, one {# Sekunde} other {# Sekunden}} vorgelesen. Versuchen Sie es erneut.',
    timeout_stalled:
      '{provider} hat mitten in der Antwort {seconds, plural, one {# Sekunde} other {# Sekunden}} lang nichts gesendet. Versuchen Sie es erneut.',
    timeout_start:
      '{provider} hat nicht innerhalb von {seconds, plural, one {# Sekunde} other {# Sekunden}} zu antworten begonnen. Versuchen Sie es erneut.',
    timeout_transcription:
      '{provider} hat die Aufnahme nicht innerhalb von {seconds, plural, one {# Sekunde} other {# Sekunden}} transkribiert. Versuchen Sie es erneut.',
    timeout_video:
      '{provider} hat das Video nicht innerhalb von {seconds, plural, one {# Sekunde} other {# Sekunden}} erzeugt. Versuchen Sie es erneut.',
    too_many_tool_calls:
      'Das Modell hat in einer Antwort mehr als {limit, plural, one {# Toolaufruf} other {# Toolaufrufe}} gesendet. Bitten Sie um weniger auf einmal.',
    tool_input_too_large:
      'Das Modell hat ein Tool mit mehr als {limit, number} Zeichen aufgerufen. Bitten Sie um weniger auf einmal.',
    unknown:
      '{provider} hat unter dieser URL kein Modell {model}. Prüfen Sie die ID des Modells und die Basis-URL.',
    unknown_there:
      'Unter dieser URL gibt es kein Modell {model}. Prüfen Sie die ID des Modells und die Basis-URL.',
    unreachable:
      '{provider} ist nicht erreichbar. Prüfen Sie die Basis-URL, oder versuchen Sie es später erneut.',
  },
  net: {
    busy: 'Zu viele Aufrufe warten auf eine Verbindung zu diesem Dienst. Versuchen Sie es in einigen Sekunden erneut.',
    cloud_metadata:
      '{host} ist für Metadaten der Cloud reserviert und keine öffentliche Adresse. Der Betreiber dieses Servers kann genau diese Adresse mit ALLOW_PRIVATE_NETWORK erlauben.',
    credentials: 'Eine URL darf weder Benutzernamen noch Passwort enthalten.',
    not_an_address: 'Das ist keine gültige URL. Beginnen Sie sie mit https:// oder http://.',
    not_public:
      '{host} ist keine öffentliche Adresse. Der Betreiber dieses Servers kann sie mit ALLOW_PRIVATE_NETWORK erlauben.',
    protocol:
      'URLs, die mit {protocol} beginnen, werden nicht unterstützt. Verwenden Sie https:// oder http://.',
  },
  reply: {
    failed: 'Beim Schreiben dieser Antwort ist ein Fehler aufgetreten. Versuchen Sie es erneut.',
    file_not_stored: 'Die Datei konnte nicht gespeichert werden. Versuchen Sie es erneut.',
    interrupted:
      'Der Server wurde neu gestartet, während er diese Antwort geschrieben hat. Senden Sie die Nachricht erneut, um fortzufahren.',
    lost: 'Der Server ist ausgefallen, während er diese Antwort geschrieben hat. Senden Sie die Nachricht erneut, um fortzufahren.',
    media_not_stored:
      '{kind, select, image {Das Bild} video {Das Video} other {Die Datei}} konnte nicht gespeichert werden. Versuchen Sie es erneut.',
    not_stored:
      'Das Ende dieser Antwort konnte nicht gespeichert werden. Wenn die Antwort unvollständig ist, erzeugen Sie sie neu.',
  },
} satisfies ErrorMessages
