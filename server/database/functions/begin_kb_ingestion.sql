-- Marks a knowledge base as ingesting when a source is added to it.
CREATE OR REPLACE FUNCTION public.begin_kb_ingestion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update knowledge_bases set is_ingesting = true where id = new.kb_id and not is_ingesting;
  return null;
end $function$;

CREATE TRIGGER kb_sources_added AFTER INSERT ON kb_sources FOR EACH ROW EXECUTE FUNCTION begin_kb_ingestion();
