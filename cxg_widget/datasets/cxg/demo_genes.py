"""The genes of the synthetic demo data: real symbols, and how strongly each synthetic cell type expresses them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.cxg.demo_types import NAMES

N_STEPS = 8  # steps along a type's path in which expression may differ

_T = ("CD4+ naive T cell", "CD4+ memory T cell", "regulatory T cell", "CD8+ naive T cell", "CD8+ effector T cell")
_CD4 = _T[:3]
_CD8 = _T[3:]
_B = ("naive B cell", "memory B cell")
_MONO = ("CD14+ monocyte", "FCGR3A+ monocyte")
_CYTOTOXIC = ("NK cell", "CD8+ effector T cell")
_MYELOID = (*_MONO, "dendritic cell")
_ANTIGEN = ("dendritic cell", *_B, *_MONO, "plasmacytoid dendritic cell")

# (mean transcripts per cell in its types, trend along the path, types, symbols), best known first
_MARKERS: tuple[tuple[float, float, tuple[str, ...], str], ...] = (
    (2.2, 0.0, (*_T, "proliferating lymphocyte"), "CD3E CD3D CD3G TRAC TRBC2 CD2 LCK BCL11B CD27 IL32"),
    (3.5, 0.0, _B, "MS4A1 CD79A CD79B CD19 BANK1 BLK FCRLA VPREB3 SPIB CD22 PAX5"),
    (9.0, -1.0, ("CD14+ monocyte",), "CD14 S100A8 S100A9 S100A12 VCAN FCN1 MNDA CSF3R CLEC12A PLBD1"),
    (14.0, -0.4, _MYELOID, "LYZ CST3 TYROBP AIF1 FCER1G LST1 CTSS SPI1 CYBB CD68 PSAP TYMP"),
    (6.0, 1.2, _CYTOTOXIC, "NKG7 GNLY GZMB PRF1 GZMA CST7 CTSW KLRD1 FGFBP2 CCL5 HOPX KLRB1"),
    (1.3, 0.0, _CD4, "CD4 CD40LG TNFRSF25 TRAT1"),
    (1.9, 0.6, _CD8, "CD8A CD8B LINC02446 CRTAM"),
    (4.0, 0.7, ("FCGR3A+ monocyte",), "FCGR3A MS4A7 CDKN1C LILRB2 CSF1R RHOC HES4 CX3CR1 SIGLEC10"),
    (9.0, 0.6, ("platelet",), "PPBP PF4 GP9 ITGA2B TUBB1 GNG11 SPARC CLU RGS18 NRGN"),
    (3.2, -2.2, ("hematopoietic stem cell",), "CD34 SPINK2 SOX4 GATA2 AVP CRHBP PRSS57 MEIS1 CYTL1 KIT"),
    (20.0, 0.8, ("plasma cell",), "JCHAIN MZB1 IGHG1 IGKC XBP1 SDC1 DERL3 TNFRSF17 PRDM1 TXNDC5 IGHA1"),
    (3.0, 0.9, ("dendritic cell",), "FCER1A CD1C CLEC10A ENHO CLEC9A PKIB FLT3 NDRG2"),
    (4.0, 0.3, ("plasmacytoid dendritic cell",), "LILRA4 IL3RA CLEC4C IRF7 TCF4 SERPINF1 ITM2C PLD4 IRF8 TCL1A"),
    (2.4, 0.5, ("regulatory T cell",), "FOXP3 IL2RA CTLA4 TIGIT IKZF2 RTKN2 TNFRSF4"),
    (2.2, -1.4, ("CD4+ naive T cell", "CD8+ naive T cell"), "CCR7 SELL LEF1 TCF7 MAL NELL2 PIK3IP1 FHIT ACTN1"),
    (
        2.0,
        1.1,
        ("CD4+ memory T cell", "CD8+ effector T cell"),
        "IL7R S100A4 GZMK LTB AQP3 CD69 ITGB1 GPR183 ANXA1 KLRG1",
    ),
    (2.4, 1.0, ("NK cell",), "NCAM1 KLRF1 KLRC1 SPON2 XCL1 XCL2 NCR1 IL2RB SH2D1B CLIC3"),
    (3.0, 1.0, ("memory B cell",), "TNFRSF13B AIM2 IGHG3 COCH CRIP1 CLECL1 SSPN"),
    (3.0, -0.8, ("naive B cell",), "IGHD TCL1B FCER2 IL4R BACH2 IGHM CD200 YBX3"),
    (3.5, 0.8, ("proliferating lymphocyte",), "MKI67 TOP2A STMN1 TYMS PCNA CENPF NUSAP1 UBE2C BIRC5 CDK1 CCNB1 TUBA1B"),
    (7.0, 0.3, _ANTIGEN, "HLA-DRA CD74 HLA-DRB1 HLA-DPA1 HLA-DPB1 HLA-DQA1 HLA-DQB1 HLA-DMA"),
)
_INTERFERON = "ISG15 IFI6 IFIT1 IFIT3 MX1 ISG20 LY6E IFI44L OAS1 IFITM3 RSAD2 CXCL10"
_FEMALE, _MALE = "XIST", "RPS4Y1 DDX3Y EIF1AY"
_HOUSEKEEPING = (
    "MALAT1 B2M ACTB TMSB4X GAPDH EEF1A1 FTL FTH1 RPLP0 RPS27 RPL13 RPS12 RPL10 TPT1 PTMA PFN1 ACTG1 UBA52 FAU NACA"
)
_MITOCHONDRIAL = "MT-CO1 MT-CO2 MT-CO3 MT-ND1 MT-ND2 MT-ND4 MT-CYB MT-ATP6"
_FILLERS = (
    "AAK1 ABCA1 ABI3 ACAP1 ADA ADAR AKT1 ALOX5 ANK3 APOBEC3G ARHGDIB ARID1A ARL4C ATF4 ATM ATP2B1 BAX BCL2 BCL6 BIN2 "
    "BIRC3 BRD2 BTG1 CALM1 CAMK4 CARD11 CASP8 CBLB CCL3 CCL4 CCND2 CCND3 CCR2 CCR4 CCR6 CD28 CD38 CD44 CD48 CD52 CD53 "
    "CD55 CD58 CD63 CD7 CD81 CD83 CD9 CD96 CD99 CDC42 CEBPB CEBPD CFD CHD3 CISH CKAP4 CLEC2D CLEC7A CORO1A CREM CTSB "
    "CTSD CTSZ CXCR3 CXCR4 CXCR5 CXCR6 DUSP1 DUSP2 DUSP4 EGR1 EOMES ETS1 EVL FAS FASLG FCGR2A FCGR2B FCRL3 FCRL5 FGR "
    "FLI1 FLNA FOS FOSB FOXO1 FOXP1 FYB1 FYN GADD45B GATA3 GBP1 GBP5 GIMAP4 GIMAP5 GIMAP7 GLUL GRN HAVCR2 HBA1 HBB "
    "HCST HIF1A HLA-A HLA-B HLA-C HLA-E HMGB1 HMGB2 ICOS ID2 ID3 IER2 IFNG IFNGR1 IKZF1 IKZF3 IL10 IL15 IL1B IL2RG "
    "IL6R IL6ST IRF1 IRF2 IRF4 ITGAL ITGAM ITGAX ITGB2 ITGB7 ITK JAK1 JAK3 JUN JUNB JUND KLF2 KLF4 KLF6 KLRC2 LAG3 "
    "LAT LAPTM5 LGALS1 LGALS3 LTA LYN MAF MAP3K8 MCL1 MYB MYC NAMPT NFKB1 NFKBIA NFKBIZ NLRP3 NR4A1 NR4A2 NR4A3 PDCD1 "
    "PECAM1 PIM1 PLEK PRDX1 PTGER4 PTPRC PTPRCAP RAC2 RASGRP2 REL RELB RGS1 RGS2 RORA RUNX1 RUNX3 S100A10 S100A11 "
    "S100A6 SAMHD1 SAT1 SELPLG SH3BGRL3 SLC2A3 SOCS1 SOCS3 SOD2 SRGN STAT1 STAT3 STAT4 STK17B TBX21 TCF3 TGFB1 TGFBR2 "
    "TLR2 TLR4 TNF TNFAIP3 TNFRSF1B TNFSF10 TOX TRAF3IP3 TRGC2 TRDC TSC22D3 TXNIP VIM WAS ZAP70 ZEB1 ZEB2 ZFP36 "
    "ZFP36L2 ZNF683 "
)


GROUPS = ["housekeeping", "interferon", "marker", "mitochondrial", "other", "sex"]


@dataclass(frozen=True)
class Genes:
    """Parameters of every gene.

    symbols : (n_var,)
    ids : (n_var,) unique identifiers that look like Ensembl's
    groups : (n_var,), each one of `GROUPS`
    rates : float32 (n_var, n_states), transcripts expected in a cell of median depth in each state
    """

    symbols: list[str]
    ids: list[str]
    groups: list[str]
    rates: NDArray[np.float32]


def make_genes(n_var: int, seed: int) -> Genes:
    """Choose `n_var` genes, the best known markers first; ``SYN-0001`` and so on follow the real symbols."""
    rng = np.random.default_rng([seed, 2])
    chosen = _known_genes()[:n_var]
    chosen += [(f"SYN-{number + 1:04d}", "other", 0.0, 0.0, ()) for number in range(n_var - len(chosen))]
    rates = np.stack([_rates(group, mean, trend, types, rng) for _, group, mean, trend, types in chosen])
    for row, (symbol, *_) in enumerate(chosen):
        if symbol in (_FEMALE, *_MALE.split()):
            # States count sex fastest: 0 female, 1 male.
            rates[row, int(symbol == _FEMALE) :: 2] *= 0.01
    ids = [f"SYNG{number + 1:011d}" for number in range(n_var)]
    return Genes([one[0] for one in chosen], ids, [one[1] for one in chosen], rates.astype(np.float32))


def state_of(
    types: NDArray[np.uint8], progress: NDArray[np.float32], conditions: NDArray[np.uint8], sexes: NDArray[np.uint8]
) -> NDArray[np.uint16]:
    """Return the column of `Genes.rates` for each cell, uint16 (n,)."""
    step = np.minimum((progress * N_STEPS).astype(np.uint16), N_STEPS - 1)
    return ((types.astype(np.uint16) * N_STEPS + step) * 2 + conditions) * 2 + sexes


def gene_sets(symbols: list[str]) -> dict[str, dict[str, object]]:
    """Return the demo's gene sets in the form of CXG's `genesets`, restricted to `symbols`."""
    present = set(symbols)
    wanted = {
        "T cell markers": ("Pan T cell genes", _MARKERS[0][3]),
        "B cell markers": ("Pan B cell genes", _MARKERS[1][3]),
        "Monocyte markers": ("Genes of classical monocytes", _MARKERS[2][3]),
        "Cytotoxicity": ("Effector genes of NK and CD8+ T cells", _MARKERS[4][3]),
        "Cell cycle": ("Genes of dividing cells", _MARKERS[19][3]),
        "Interferon response": ("Genes that interferon switches on", _INTERFERON),
    }
    sets: dict[str, dict[str, object]] = {}
    for name, (description, names) in wanted.items():
        genes = [{"gene_symbol": one, "gene_description": ""} for one in names.split() if one in present]
        if genes:
            sets[name] = {"geneset_name": name, "geneset_description": description, "genes": genes}
    return sets


_Gene = tuple[str, str, float, float, tuple[str, ...]]


def _known_genes() -> list[_Gene]:
    """List every real symbol once: markers of all types in turn, with some genes of the other groups between them."""
    columns: list[list[_Gene]] = [
        [(symbol, "marker", mean, trend, types) for symbol in symbols.split()]
        for mean, trend, types, symbols in _MARKERS
    ]
    columns.append([(symbol, "interferon", 0.035, 0.0, ()) for symbol in _INTERFERON.split()])
    columns.append([(symbol, "sex", 0.4, 0.0, ()) for symbol in (_FEMALE, *_MALE.split())])
    columns.append([(symbol, "housekeeping", 0.0, 0.0, ()) for symbol in _HOUSEKEEPING.split()])
    columns.append([(symbol, "mitochondrial", 0.0, 0.0, ()) for symbol in _MITOCHONDRIAL.split()])
    in_turn = [gene for turn in zip_longest(*columns) for gene in turn if gene is not None]
    in_turn += [(symbol, "other", 0.0, 0.0, ()) for symbol in _FILLERS.split()]
    once: dict[str, _Gene] = {}
    for gene in in_turn:
        once.setdefault(gene[0], gene)
    return list(once.values())


def _rates(
    group: str, mean: float, trend: float, types: tuple[str, ...], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the expected transcripts in each state: type, step, condition and sex."""
    n_types = len(NAMES)
    if group == "marker":
        strength = rng.lognormal(-1.0, 0.35) * mean
        by_type = strength * np.where(
            np.isin(NAMES, types), rng.lognormal(0, 0.25, n_types), rng.gamma(0.6, 0.012, n_types)
        )
    elif group in ("housekeeping", "mitochondrial"):
        by_type = rng.lognormal(-1.0, 0.8) * rng.lognormal(0, 0.25, n_types)
    elif group == "interferon":
        by_type = mean * rng.lognormal(0, 0.6, n_types) * np.where(["mono" in name for name in NAMES], 3, 1)
    elif group == "sex":
        by_type = np.full(n_types, mean)
    else:
        by_type = rng.lognormal(-3.2, 0.7) * rng.lognormal(0, 0.8, n_types)
        trend = rng.normal(0, 0.9)
    step = np.exp(trend * (np.arange(N_STEPS) / (N_STEPS - 1) - 0.5))
    condition = np.array([1.0, 9.0 if group == "interferon" else rng.lognormal(0, 0.08)])
    sex = np.ones(2)
    return np.asarray(np.einsum("t,s,c,x->tscx", by_type, step, condition, sex).ravel())
