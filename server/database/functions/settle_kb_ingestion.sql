-- Records whether a knowledge base is ingesting, and queues the webhook event when ingestion ends. The trigger is
-- deferred, so that it sees all changes of the transaction.
CREATE OR REPLACE FUNCTION public.settle_kb_ingestion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  kb knowledge_bases;
  is_busy boolean;
begin
  select * into kb from knowledge_bases where id = coalesce(new.kb_id, old.kb_id) for no key update;
  if not found then
    return null;
  end if;
  is_busy := exists (
    select from kb_sources s where s.kb_id = kb.id and is_ingesting_source(s.status, s.documents_pending));
  if is_busy <> kb.is_ingesting then
    update knowledge_bases set is_ingesting = is_busy where id = kb.id;
    if not is_busy then
      perform queue_webhook_deliveries(ingestion_event(kb));
    end if;
  end if;
  return null;
end $function$;

CREATE CONSTRAINT TRIGGER kb_sources_came_or_went AFTER INSERT OR DELETE ON kb_sources DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION settle_kb_ingestion();

CREATE CONSTRAINT TRIGGER kb_sources_went_on AFTER UPDATE ON kb_sources DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (is_ingesting_source(old.status, old.documents_pending) <> is_ingesting_source(new.status, new.documents_pending)) EXECUTE FUNCTION settle_kb_ingestion();
